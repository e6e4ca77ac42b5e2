import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** A TCP proxy with injected faults, which apply to new and open connections. */
export interface FaultProxy {
  port: number;
  /** Delays every chunk by this time, in each direction; 0 ends it. */
  setLatencyMs(latencyMs: number): void;
  /** Black hole: connections are accepted and stay open, but nothing passes in either direction. */
  freeze(): void;
  /** Ends the black hole; delayed data arrives. */
  thaw(): void;
  /** Ends all open connections with RST. */
  reset(): void;
  /** Ends all open connections with FIN. */
  disconnect(): void;
  /** Refuses new connections and resets open ones. Idempotent. */
  close(): Promise<void>;
}

/** Starts a proxy on a free port in front of `127.0.0.1:targetPort`. */
export async function startFaultProxy(targetPort: number): Promise<FaultProxy> {
  const state = new LinkState();
  const server = createServer((client) => state.link(client, connect(targetPort, '127.0.0.1')));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: portOf(server),
    setLatencyMs: (latencyMs) => {
      state.latencyMs = latencyMs;
    },
    freeze: () => state.setFrozen(true),
    thaw: () => state.setFrozen(false),
    reset: () => state.resetAll(),
    disconnect: () => state.endAll(),
    close: async () => {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      state.resetAll();
      await closed;
    },
  };
}

class LinkState {
  latencyMs = 0;
  private frozen = false;
  private readonly sockets = new Set<Socket>();

  link(client: Socket, target: Socket): void {
    this.forward(client, target);
    this.forward(target, client);
  }

  setFrozen(frozen: boolean): void {
    this.frozen = frozen;
    for (const socket of this.sockets) {
      if (frozen) socket.pause();
      else socket.resume();
    }
  }

  resetAll(): void {
    for (const socket of this.sockets) socket.resetAndDestroy();
  }

  endAll(): void {
    for (const socket of this.sockets) socket.end();
  }

  private forward(from: Socket, to: Socket): void {
    this.sockets.add(from);
    from.setNoDelay(true);
    const later = this.inOrder();
    from.on('data', (chunk) => later(() => to.writable && to.write(chunk)));
    from.on('end', () => later(() => to.end()));
    from.on('error', () => to.resetAndDestroy());
    from.on('close', () => {
      this.sockets.delete(from);
      if (from.errored === null && from.readableEnded) return;
      to.resetAndDestroy();
    });
    if (this.frozen) from.pause();
  }

  /** Runs actions after the latency, in order, even if the latency falls. */
  private inOrder(): (action: () => void) => void {
    const queue: { action: () => void; dueMs: number }[] = [];
    const release = (): void => {
      while (queue[0] !== undefined && queue[0].dueMs <= performance.now()) queue.shift()?.action();
      if (queue[0] !== undefined) setTimeout(release, queue[0].dueMs - performance.now());
    };
    return (action) => {
      if (this.latencyMs === 0 && queue.length === 0) return action();
      const dueMs = Math.max(queue.at(-1)?.dueMs ?? 0, performance.now() + this.latencyMs);
      queue.push({ action, dueMs });
      if (queue.length === 1) setTimeout(release, this.latencyMs);
    };
  }
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy is not listening');
  return address.port;
}

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
    port: portOf(server),
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
