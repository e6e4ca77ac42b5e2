import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below the range that Linux, macOS and Windows use for outgoing connections. */
const FIRST = 20_000;
const LAST = 32_767;

/** A free TCP port on 127.0.0.1. Another program may take it before the caller does: retry with another one. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST, LAST + 1);
    if (await canListen(port)) return port;
  }
}

function canListen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
