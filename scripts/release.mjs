import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from './run/root.mjs';

// pnpm release: turns the files of .changeset into the next version: of all packages (changesets) and of the files below,
// with a section in CHANGELOG.md. Commit and tag the result as v<version>; the tag starts the release workflow.

/** Each occurrence of the old version is replaced. */
const VERSIONED = [
  'package.json',
  'docker/compose.yaml',
  'docker/.env.example',
  'deploy/helm/tollgate/Chart.yaml',
  'deploy/kubernetes/tollgate.yaml',
  'apps/decision-api/openapi.json',
];
const changeset = (...args) =>
  execFileSync(path.join(ROOT, 'node_modules/.bin/changeset'), args, { cwd: ROOT, stdio: 'inherit' });
const edit = (relative, change) => {
  const file = path.join(ROOT, relative);
  writeFileSync(file, change(readFileSync(file, 'utf8')));
};

const statusFile = path.join(ROOT, '.changeset/status.json');
changeset('status', '--output', '.changeset/status.json');
const { changesets, releases } = JSON.parse(readFileSync(statusFile, 'utf8'));
rmSync(statusFile);
const [{ oldVersion, newVersion }] = releases;
changeset('version');
for (const file of VERSIONED) edit(file, (text) => text.replaceAll(oldVersion, newVersion));
const entries = changesets.map(({ summary }) => `- ${summary.trim()}`).join('\n');
const date = new Date().toISOString().slice(0, 10);
edit('CHANGELOG.md', (text) => text.replace('\n## ', `\n## ${newVersion} (${date})\n\n${entries}\n\n## `));
