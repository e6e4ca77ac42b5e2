import { createServer } from 'node:http';
import { retryAdvice } from '@tollgate/sdk';
import { asked, port } from '../tollgate.ts';

const { client, tenant, api } = asked;

export const server = createServer(async (request, response) => {
  const ip = request.socket.remoteAddress ?? '127.0.0.1';
  const decision = await client.limit({ tenant, api, operation: 'createURL', subject: { ip } });
  const advice = retryAdvice(decision);
  if (advice.kind === 'run') {
    response.writeHead(201).end('{"short":"https://sho.rt/a1"}');
    return;
  }
  const headers = decision.retryAfter === null ? {} : { 'Retry-After': decision.retryAfter };
  response.writeHead(429, headers).end();
}).listen(port, '127.0.0.1');
