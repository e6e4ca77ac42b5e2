// Rules, dashboards and runbooks belong together: promtool tests the rules, and each name that they use exists.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { notOnPath } from '../scripts/bootstrap/programs.mjs';
import { ROOT } from '../scripts/run/root.mjs';

const FOLDER = path.join(ROOT, 'deploy/monitoring');
const read = (relative) => readFileSync(path.join(ROOT, relative), 'utf8');
const filesOf = (folder) =>
  readdirSync(path.join(FOLDER, folder)).map((file) => [file, read(`deploy/monitoring/${folder}/${file}`)]);

const rules = parse(read('deploy/monitoring/rules.yaml')).groups.flatMap((group) => group.rules);
const alerts = rules.filter(({ alert }) => alert !== undefined);
const runbooks = filesOf('runbooks');
const { tests } = parse(read('deploy/monitoring/rules_test.yaml'));

function promtool(...args) {
  try {
    return execFileSync('promtool', args, { cwd: FOLDER, encoding: 'utf8', stdio: 'pipe' });
  } catch (error) {
    throw error.code === 'ENOENT' ? notOnPath('promtool') : new Error(error.stdout + error.stderr);
  }
}

describe('alert rules', () => {
  it('pass promtool, and fire and clear as tested', { tags: 'prometheus' }, () => {
    expect(promtool('check', 'rules', 'rules.yaml')).toContain('SUCCESS');
    expect(promtool('check', 'config', 'prometheus.yaml')).toContain('SUCCESS');
    expect(promtool('test', 'rules', 'rules_test.yaml')).toContain('SUCCESS');
  });

  it('have a test that fires them, a test that does not, and a runbook', () => {
    const cases = tests.flatMap((test) => test.alert_rule_test);
    for (const { alert, annotations } of alerts) {
      const fires = cases
        .filter(({ alertname }) => alertname === alert)
        .map((one) => one.exp_alerts.length > 0);
      expect([alert, new Set(fires)]).toEqual([alert, new Set([true, false])]);
      expect(annotations.runbook).toBe(`deploy/monitoring/runbooks/${alert.replace('Tollgate', '')}.md`);
      expect(read(annotations.runbook)).toMatch(/^# /);
    }
  });
});

describe('runbooks', () => {
  it('name metrics and variables that exist', () => {
    const metrics = read('docs/operate/monitoring.md');
    const variables = read('docs/operate/configuration.md') + read('docker/compose.yaml');
    const texts = [
      ...runbooks,
      ...filesOf('dashboards'),
      ['rules.yaml', read('deploy/monitoring/rules.yaml')],
    ];
    for (const [file, text] of texts) {
      for (const [, name] of text.matchAll(/\b((?:tollgate_[a-z_]+|bullmq_[a-z_]+))\b/g))
        if (name !== 'tollgate_restored' && name !== 'tollgate_app')
          expect([file, metrics]).toEqual([
            file,
            expect.stringContaining(`\`${name.replace(/_(bucket|sum|count)$/, '')}`),
          ]);
      for (const [, name] of text.matchAll(/`([A-Z]+(?:_[A-Z]+)+)`/g))
        expect([file, variables]).toEqual([file, expect.stringContaining(name)]);
    }
  });

  it('send GraphQL that the schema accepts', () => {
    const {
      buildSchema,
      parse: parseDocument,
      validate,
    } = createRequire(path.join(ROOT, 'apps/control-plane/package.json'))('graphql');
    const schema = buildSchema(read('apps/control-plane/schema.graphql'));
    const documents = runbooks.flatMap(([file, text]) =>
      [...text.matchAll(/\bgql '([^']+)'/g)].map(([, document]) => [file, document]),
    );
    expect(documents.length).toBeGreaterThan(5);
    for (const [file, document] of documents)
      expect([file, validate(schema, parseDocument(document))]).toEqual([file, []]);
  });

  it('link to pages that exist', () => {
    for (const [file, text] of runbooks)
      for (const [, link] of text.matchAll(/\]\(([^)#]+)/g))
        expect([file, link, read(path.join('deploy/monitoring/runbooks', link)).length]).toEqual([
          file,
          link,
          expect.any(Number),
        ]);
  });
});
