import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../run/root.mjs';
import { readyMessage } from './ready-message.mjs';

const DEV = {
  admin: {},
  decisionUrl: 'http://127.0.0.1:4401',
  serviceToken: 'tga_live_a',
  graphqlUrl: 'http://127.0.0.1:4400/graphql',
  adminToken: 'tga_live_b',
  redisUrl: "redis://:it's@127.0.0.1:6379",
};

test('shows an export line from which a shell sets the variables of the SDK and the CLI', () => {
  const [line = ''] = /^ +export .*$/m.exec(readyMessage(DEV, undefined, '1 s')) ?? [];
  const names = [
    'TOLLGATE_URL',
    'TOLLGATE_TOKEN',
    'TOLLGATE_GRAPHQL_URL',
    'TOLLGATE_ADMIN_TOKEN',
    'REDIS_COUNTERS_URL',
  ];
  const printed = execFileSync('/bin/sh', ['-c', `${line}; printenv ${names.join(' ')}`], {
    encoding: 'utf8',
  });
  expect(printed.trimEnd().split('\n')).toEqual([
    DEV.decisionUrl,
    DEV.serviceToken,
    DEV.graphqlUrl,
    DEV.adminToken,
    DEV.redisUrl,
  ]);
});

test('npm start -- --help prints the settings and starts nothing', () => {
  const script = path.join(ROOT, 'scripts/start.mjs');
  const printed = execFileSync(process.execPath, [script, '--help'], { encoding: 'utf8' });
  expect(printed).toContain('--watch');
  expect(printed).toContain('REDIS_URL');
});
