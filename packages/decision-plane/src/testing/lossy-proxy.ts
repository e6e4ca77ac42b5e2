import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP proxy that loses replies. */
export interface LossyProxy {
  readonly port: number;
  /** Number of reply chunks that passed, and that were lost. */
  readonly passed: number;
  readonly lost: number;
  /** Fraction of replies to lose from now on, 0 to 1. */
  setLoss(part: number): void;
  close(): Promise<void>;
}

/**
 * Starts a proxy in front of `127.0.0.1:targetPort`. A lost reply ends its connection: the server has executed the
 * command, but the client only sees the connection end.
 * @param random returns 0 up to 1
 */
export async function startLossyProxy(targetPort: number, random: () => number): Promise<LossyProxy> {
  let loss = 0;
  const counts = { passed: 0, lost: 0 };
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const target = connect(targetPort, '127.0.0.1');
    const end = () => {
      client.resetAndDestroy();
      target.resetAndDestroy();
    };
    for (const socket of [client, target]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', end);
      socket.on('close', () => {
        sockets.delete(socket);
        end();
      });
    }
    client.on('data', (chunk) => target.writable && target.write(chunk));
    target.on('data', (chunk) => {
      if (random() < loss) {
        counts.lost++;
        end();
      } else if (client.writable) {
        counts.passed++;
        client.write(chunk);
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    get passed() {
      return counts.passed;
    },
    get lost() {
      return counts.lost;
    },
    setLoss: (part) => {
      loss = part;
    },
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
