import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below the ports that Linux, macOS and Windows choose for outgoing connections: none of them can take one of these. */
const FIRST = 20_000;
const LAST = 32_767;

/**
 * A random TCP port on 127.0.0.1, 20000 to 32767, that nothing listens on now.
 *
 * Another program may bind it before the caller does; a caller that can must then retry with another port.
 */
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
