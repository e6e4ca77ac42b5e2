import { createServer } from 'node:http';
import { afterEach, expect, it } from 'vitest';
import { LiveTraffic } from './demo-traffic.mjs';

let server;
afterEach(() => server?.close());

it('sends nothing before the past requests are sent, and ends while it waits for them', async () => {
  const requests = [];
  server = createServer((request, response) => {
    requests.push(request.url);
    response.end('{}');
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const traffic = new LiveTraffic(
    `http://127.0.0.1:${server.address().port}`,
    'token',
    'acme',
    new Promise(() => {}),
  );
  await traffic.stop();
  expect(requests).toEqual([]);
});
