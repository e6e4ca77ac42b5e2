import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readSettings } from './settings.mjs';

const lockDir = mkdtempSync(path.join(tmpdir(), 'tollgate-ports-'));
const settingsOf = (env) => readSettings(env, lockDir);
afterAll(() => rmSync(lockDir, { recursive: true, force: true }));

test.each(['0', '65536', '-1', '80.5', 'http', '1e9', '4.000'])(
  'rejects PORT=%s with advice',
  async (port) => {
    await expect(settingsOf({ PORT: port })).rejects.toMatchObject({
      message: `PORT=${port} is not a port.`,
      advice: expect.stringContaining('set PORT'),
    });
  },
);

test('fails for a requested port in use instead of choosing another one', async () => {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const port = String(server.address().port);
  await expect(settingsOf({ DECISION_PORT: port })).rejects.toThrow(
    `Port ${port} (DECISION_PORT) is in use.`,
  );
  server.close();
});

test('avoids a port that another instance has chosen but does not use yet', async () => {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  await settingsOf({ PORT: String(port) });
  const module = new URL('./settings.mjs', import.meta.url).href;
  const script = `const { readSettings } = await import(${JSON.stringify(module)});
    await readSettings({ PORT: '${port}' }, ${JSON.stringify(lockDir)}).catch((error) => console.log(error.message));`;
  const other = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  expect(other.stdout.trim()).toBe(`Port ${port} (PORT) is in use.`);
});

test('never assigns one port to two servers', async () => {
  const { port, decisionPort, rlsPort, metricsPort } = await settingsOf({});
  expect(new Set([port, decisionPort, rlsPort, metricsPort]).size).toBe(4);
  for (const [one, other, wanted] of [
    ['PORT', 'DECISION_PORT', port],
    ['PORT', 'RLS_PORT', port],
    ['DECISION_PORT', 'RLS_PORT', decisionPort],
    ['RLS_PORT', 'METRICS_PORT', rlsPort],
  ]) {
    const requested = String(wanted);
    await expect(settingsOf({ [one]: requested, [other]: requested })).rejects.toThrow(
      `${one} and ${other} are both ${requested}.`,
    );
  }
});

test('uses REDIS_URL for both roles unless a role has its own address', async () => {
  const { redisConfigUrl, redisCountersUrl } = await settingsOf({
    REDIS_URL: 'a',
    REDIS_COUNTERS_URL: 'b',
  });
  expect({ redisConfigUrl, redisCountersUrl }).toEqual({ redisConfigUrl: 'a', redisCountersUrl: 'b' });
});

test('treats an empty variable as unset', async () => {
  const settings = await settingsOf({ DATABASE_URL: '', REDIS_URL: '' });
  expect(settings).toMatchObject({ databaseUrl: undefined, redisConfigUrl: undefined });
});
