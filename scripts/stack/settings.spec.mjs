import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { readSettings } from './settings.mjs';

test.each(['0', '65536', '-1', '80.5', 'http', '1e9'])('PORT=%s is refused with what to do', async (port) => {
  await expect(readSettings({ PORT: port })).rejects.toMatchObject({
    message: `PORT=${port} is not a port.`,
    advice: expect.stringContaining('set PORT'),
  });
});

test('a port that is asked for and taken is an error, never another port', async () => {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const port = String(server.address().port);
  await expect(readSettings({ DECISION_PORT: port })).rejects.toThrow(
    `Port ${port} (DECISION_PORT) is in use.`,
  );
  server.close();
});

test('the console and the decision API never get one port', async () => {
  const { port, decisionPort } = await readSettings({});
  expect(decisionPort).not.toBe(port);
  await expect(readSettings({ PORT: String(port), DECISION_PORT: String(port) })).rejects.toThrow('are both');
});

test('REDIS_URL stands for both roles, and each role can have its own', async () => {
  const { redisConfigUrl, redisCountersUrl } = await readSettings({
    REDIS_URL: 'a',
    REDIS_COUNTERS_URL: 'b',
  });
  expect({ redisConfigUrl, redisCountersUrl }).toEqual({ redisConfigUrl: 'a', redisCountersUrl: 'b' });
});

test('an empty variable is the same as none', async () => {
  const settings = await readSettings({ DATABASE_URL: '', REDIS_URL: '' });
  expect(settings).toMatchObject({ databaseUrl: undefined, redisConfigUrl: undefined });
});
