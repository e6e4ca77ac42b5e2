import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { testConfig } from '../../../../test/support/test-app.js';
import { type AttemptResult, WebhookSender } from './webhook-sender.js';

const TIMEOUT_MS = '400';
const BODY = JSON.stringify({ type: 'purchase.paid', data: {} });

/** Runs when the head of the request has arrived. */
type Behavior = (socket: Socket) => void;

/** Accepts one connection and reads nothing more. */
const BLOCKED_RECEIVER = `
  const server = require('node:net').createServer();
  server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    require('node:fs').writeSync(1, String(server.address().port) + '\\n');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  });`;

const servers: Server[] = [];
const sockets: Socket[] = [];
const children: ChildProcess[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) server.close();
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** A sender that may reach loopback. */
function newSender(): WebhookSender {
  const services = { databaseUrl: 'postgresql://x/y', redisUrl: 'redis://x' };
  const settings = { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8,::1/128', WEBHOOK_TIMEOUT_MS: TIMEOUT_MS };
  return new WebhookSender(testConfig(services, settings));
}

const send = (url: string) => newSender().send(url, { 'webhook-id': 'whd_1' }, BODY);

/** Starts a receiver on a raw socket; answers its port and the end of its first connection. */
async function startReceiver(behave: Behavior, { onConnect = false } = {}) {
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.push(socket);
    socket
      .on('error', () => undefined)
      .on('end', () => resolve())
      .on('close', () => resolve());
    if (onConnect) {
      behave(socket.resume());
      return;
    }
    let head = '';
    socket.on('data', (chunk) => {
      const had = head.includes('\r\n\r\n');
      head += chunk.toString('latin1');
      if (!had && head.includes('\r\n\r\n')) behave(socket);
    });
  });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, closed };
}

/** Writes `text` again and again until the connection ends. */
const repeating =
  (first: string, text: string, everyMs: number): Behavior =>
  (socket) => {
    socket.write(first);
    const timer = setInterval(() => socket.write(text), everyMs);
    socket.on('close', () => clearInterval(timer));
  };

const writing =
  (text: string): Behavior =>
  (socket) => {
    socket.write(text);
  };

const HINT = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n';
const UPGRADE = 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n';

const FAILING: Record<string, [Behavior, RegExp]> = {
  'switches protocols': [writing(UPGRADE), /upgrade/],
  'answers 101 without naming a protocol': [writing('HTTP/1.1 101 \r\n\r\n'), /invalid HTTP|in time/],
  'sends informational responses without end': [repeating(HINT, HINT, 20), /informational|timed out/],
  'floods informational responses': [repeating(HINT.repeat(200), HINT.repeat(200), 1), /informational/],
  'closes without an answer': [(socket) => socket.end(), /closed/],
  'resets the connection': [(socket) => socket.resetAndDestroy(), /ECONNRESET|closed/],
  'closes within the head': [(socket) => socket.end('HTTP/1.1 200 OK\r\nx: '), /closed|valid HTTP/],
  'says nothing': [() => undefined, /timed out/],
  'sends its head byte by byte': [repeating('HTTP/1.1 200 OK\r\nx: ', 'x', 20), /timed out/],
  'sends a head without end': [
    repeating('HTTP/1.1 200 OK\r\n', `x: ${'x'.repeat(8000)}\r\n`, 5),
    /Overflow|in time/,
  ],
  'speaks another protocol': [writing('220 mail.example.com ESMTP\r\n'), /invalid HTTP/],
};

const DELIVERED: Record<string, Behavior> = {
  'answers after hints': writing(`${HINT}${HINT}HTTP/1.1 204 No Content\r\n\r\n`),
  'sends its body without end': repeating(
    'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n',
    '1\r\nx\r\n',
    10,
  ),
  'never sends the promised body': writing('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n'),
  'closes within the body': (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nx'),
};

describe('an attempt ends, and its connection with it,', () => {
  it.each(Object.entries(FAILING))('when the receiver %s', async (_, [behave, error]) => {
    const { port, closed } = await startReceiver(behave);
    const result = await send(`http://127.0.0.1:${port}/hook`);
    expect(result).toMatchObject({ delivered: false, statusCode: null, error: expect.stringMatching(error) });
    await closed;
  });

  it.each(Object.entries(DELIVERED))('as delivered when the receiver %s', async (_, behave) => {
    const { port, closed } = await startReceiver(behave);
    const result = await send(`http://127.0.0.1:${port}/hook`);
    expect(result).toMatchObject({ delivered: true, error: null });
    await closed;
  });

  it('when the receiver redirects, without a second request', async () => {
    const { port, closed } = await startReceiver(
      writing('HTTP/1.1 307 Moved\r\nlocation: /again\r\ncontent-length: 0\r\n\r\n'),
    );
    const result = await send(`http://127.0.0.1:${port}/hook`);
    expect(result).toMatchObject({
      delivered: false,
      statusCode: 307,
      error: expect.stringMatching(/not followed/),
    });
    await closed;
  });

  it('when the receiver accepts the connection and stalls the TLS handshake', async () => {
    const { port, closed } = await startReceiver(() => undefined, { onConnect: true });
    const result = await send(`https://127.0.0.1:${port}/hook`);
    expect(result).toMatchObject({ delivered: false, error: 'timed out' });
    await closed;
  });

  it('when the receiver does not accept the connection', async () => {
    const child = spawn(process.execPath, ['-e', BLOCKED_RECEIVER], { stdio: ['ignore', 'pipe', 'inherit'] });
    children.push(child);
    const [chunk] = await once(child.stdout, 'data');
    const port = Number(String(chunk).trim());
    // The queue of a listener that accepts nothing is full: further connections stay unanswered.
    for (let i = 0; i < 4; i++) sockets.push(connect(port, '127.0.0.1').on('error', () => undefined));
    expect(await send(`http://127.0.0.1:${port}/hook`)).toMatchObject({
      delivered: false,
      error: 'timed out',
    });
  });

  it('when the name of the receiver is not resolved', async () => {
    const sender = newSender();
    Object.assign(sender.targets, { resolve: () => new Promise(() => undefined) });
    const result: AttemptResult = await sender.send('https://slow.example.com/', {}, BODY);
    expect(result).toMatchObject({ delivered: false, error: 'timed out' });
  });
});
