import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parentPort } from 'node:worker_threads';

// Parses the body and answers each request with one decision.

const policies = [
  { name: 'm', limit: 9, remaining: 8, reset: 0, window: 60, mode: 'enforce', success: true },
];
const decision = {
  success: true,
  policy: 'm',
  limit: 9,
  remaining: 8,
  used: 1,
  reset: 0,
  retryAfter: 0,
  cost: 1,
  reason: 'WITHIN_LIMIT',
  source: 'tier',
  policies,
  delayMs: 0,
  degraded: false,
  revision: 1,
  requestId: 'req_1',
};

const server = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk) => {
    body += chunk;
  });
  request.on('end', () => {
    const { requests } = JSON.parse(body) as { requests?: object[] };
    const text = JSON.stringify(
      requests === undefined ? decision : { answers: requests.map(() => decision) },
    );
    const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) };
    response.writeHead(200, headers).end(text);
  });
});
server.listen(0, '127.0.0.1', () => parentPort?.postMessage((server.address() as AddressInfo).port));
