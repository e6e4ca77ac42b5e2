import { createServer } from 'node:net';

/**
 * A TCP port on 127.0.0.1 that nothing listens on at the moment of asking.
 *
 * Another program may take it before the caller does; whoever binds it must be ready to try again.
 */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}
