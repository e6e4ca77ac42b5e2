import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DecisionPlane } from './decision-plane.js';

const server = createServer();
let connections = 0;
server.on('connection', () => connections++);

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => {
  server.close();
});

it('does not start or connect with an invalid counter address', async () => {
  const { port } = server.address() as AddressInfo;
  const start = DecisionPlane.start({
    countersUrl: 'http://127.0.0.1:6379',
    configUrl: `redis://127.0.0.1:${port}`,
    policyKeys: 'unsigned',
    nodeId: 'node-1',
    version: 'test',
  });
  await expect(start).rejects.toThrow(/countersUrl must be redis:/);
  // The server answers in order: a connection that had been begun before this one would have been counted.
  const probe = connect(port, '127.0.0.1');
  await once(server, 'connection');
  probe.destroy();
  expect(connections).toBe(1);
});
