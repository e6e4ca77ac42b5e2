import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { createLogger } from '../src/logger.js';
import { runProgram } from '../src/program.js';

// After its start: an error in a callback of Node, then, as the argument says, one in a callback of ours.

runProgram(createLogger({ service: 'throwing', level: 'info' }), async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  process.on('message', () => {
    throw new Error('of ours');
  });
  // Without a listener for `error`.
  setImmediate(() => connect(address.port, '127.0.0.1'));
  process.once('uncaughtException', () => process.send?.('survived'));
});
