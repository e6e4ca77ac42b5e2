import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below the range that Linux, macOS and Windows use for outgoing connections, and below the ports that scripts/stack reserves. */
const FIRST = 20_000;
const COUNT = 6000;

/** Ports are offered in turn, so that callers rarely get one that another is about to use. */
let offered = randomInt(COUNT);

/** A free TCP port on 127.0.0.1, until another program takes it. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + (offered++ % COUNT);
    if (await canListen(port)) return port;
  }
}

const ATTEMPTS = 3;
const TAKEN = /address already in use|EADDRINUSE/i;

/**
 * Starts a server on `port`, or on a free one: retries with another if `start` throws an error whose message says that
 * the address is in use.
 */
export async function startOnPort<T>(
  port: number | undefined,
  start: (port: number) => Promise<T>,
): Promise<T & { port: number }> {
  for (let attempt = 1; ; attempt++) {
    const chosen = port ?? (await freePort());
    try {
      return { ...(await start(chosen)), port: chosen };
    } catch (error) {
      if (port !== undefined || attempt === ATTEMPTS || !TAKEN.test(String(error))) throw error;
    }
  }
}

function canListen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
