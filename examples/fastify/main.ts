import { tollgate } from '@tollgate/sdk/fastify';
import Fastify from 'fastify';
import { asked, port } from '../tollgate.ts';

const app = Fastify();
await app.register(tollgate, asked);

app.post('/', { config: { tollgate: { operation: 'createURL' } } }, async (_request, reply) => {
  return reply.code(201).send({ short: 'https://sho.rt/a1' });
});

await app.listen({ port, host: '127.0.0.1' });
export const server = app.server;
