import { execFileSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { ROOT } from './run/root.mjs';

// pnpm count [-- <revision>]: lines of code and words of documents written by hand.

const { positionals } = parseArgs({ allowPositionals: true });
const revision = positionals.at(-1) ?? 'HEAD';
const git = (...args) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 2 ** 28 });

const CODE = /\.(?:ts|tsx|mjs|cjs|lua|css|prisma|c)$/;
const GENERATED = /(?:^|\/)generated\//;
const TEST = /\.(?:spec|e2e|nightly)\.\w+$|(?:^|\/)test\//;
/** In `verification`; in revisions before it, in several places. */
const VERIFICATION = /^verification\/|\/(?:chaos|bench|fuzz|simulate|planted-bugs)\/|^scripts\/yard/;

/** By the first pattern that matches; sources of an app or a package by its name. */
function areaOf(file) {
  if (TEST.test(file)) return 'tests';
  if (VERIFICATION.test(file)) return 'verification';
  const [, unit] = /^((?:apps|packages)\/[^/]+)\/src\//.exec(file) ?? [];
  return unit ?? 'scripts, tools, seeds';
}

const areas = new Map();
for (const line of git('grep', '-c', '', revision).trim().split('\n')) {
  const [, file, lines] = /^[^:]+:(.+):(\d+)$/.exec(line) ?? [];
  if (file === undefined || !CODE.test(file) || GENERATED.test(file)) continue;
  const area = areaOf(file);
  const counted = areas.get(area) ?? { files: 0, lines: 0 };
  areas.set(area, { files: counted.files + 1, lines: counted.lines + Number(lines) });
}

const row = (name, files, count) =>
  console.log(name.padEnd(28), String(files).padStart(6), count.toLocaleString('en-US').padStart(9));
const sum = (entries, field) => entries.reduce((total, [, counted]) => total + counted[field], 0);

console.log(`${'lines'.padEnd(28)} ${'files'.padStart(6)} ${'lines'.padStart(9)}`);
for (const [area, { files, lines }] of [...areas].sort(([, a], [, b]) => b.lines - a.lines))
  row(area, files, lines);
const source = [...areas].filter(([area]) => area !== 'tests' && area !== 'verification');
row('source', sum(source, 'files'), sum(source, 'lines'));

/** Documents that a generator writes. */
const WRITTEN = /^docs\/errors\/|^docs\/operate\/configuration\.md$|^CHANGELOG\.md$/;
const documents = git('ls-tree', '-r', '--name-only', revision)
  .trim()
  .split('\n')
  .filter((file) => file.endsWith('.md') && !WRITTEN.test(file));
const wordsOf = (file) => git('show', `${revision}:${file}`).split(/\s+/).filter(Boolean).length;
row(
  'words of documents',
  documents.length,
  documents.reduce((total, file) => total + wordsOf(file), 0),
);
