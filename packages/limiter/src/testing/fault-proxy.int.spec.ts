import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { eventually } from '@tollgate/test-kit';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type FaultProxy, startFaultProxy } from './fault-proxy.js';

let echo: Server;
let proxy: FaultProxy;
let client: Socket;

beforeEach(async () => {
  echo = createServer((socket) => socket.on('error', () => undefined).pipe(socket)).listen(0, '127.0.0.1');
  await once(echo, 'listening');
  const address = echo.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  proxy = await startFaultProxy(address.port);
  client = connect(proxy.port, '127.0.0.1');
  await once(client, 'connect');
});

afterEach(async () => {
  client.destroy();
  await proxy.close();
  echo.close();
});

async function roundTripMs(text: string): Promise<number> {
  const startedAt = performance.now();
  client.write(text);
  const [data] = (await once(client, 'data')) as [Buffer];
  expect(data.toString()).toBe(text);
  return performance.now() - startedAt;
}

test('passes bytes through unchanged', async () => {
  await roundTripMs('one');
  await roundTripMs('two');
});

test('adds latency in each direction', async () => {
  proxy.setLatencyMs(20);
  expect(await roundTripMs('slow')).toBeGreaterThanOrEqual(38);
});

test('keeps the order when the latency falls', async () => {
  await roundTripMs('open');
  let received = '';
  client.on('data', (data) => {
    received += data.toString();
  });
  proxy.setLatencyMs(100);
  client.write('first ');
  // The proxy reads it meanwhile; if not, the order is not at risk.
  await new Promise((resolve) => setTimeout(resolve, 20));
  proxy.setLatencyMs(0);
  client.write('second');
  await eventually(() => received.length === 'first second'.length);
  expect(received).toBe('first second');
});

test('a freeze loses nothing: data arrives after the thaw', async () => {
  proxy.freeze();
  client.write('held');
  const other = connect(proxy.port, '127.0.0.1');
  await once(other, 'connect');
  other.destroy();
  expect(client.bytesRead).toBe(0);
  const arrived = once(client, 'data');
  proxy.thaw();
  expect(String((await arrived)[0])).toBe('held');
});

test('a reset causes ECONNRESET', async () => {
  await roundTripMs('open');
  const failed = once(client, 'error');
  proxy.reset();
  await expect(failed).resolves.toMatchObject([{ code: 'ECONNRESET' }]);
});

test('a disconnect is an orderly end', async () => {
  await roundTripMs('open');
  const ended = once(client.resume(), 'end');
  proxy.disconnect();
  await ended;
});

test('refuses connections after close', async () => {
  client.on('error', () => undefined);
  await proxy.close();
  const late = connect(proxy.port, '127.0.0.1');
  await expect(once(late, 'connect')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});
