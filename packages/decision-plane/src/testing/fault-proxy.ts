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
    const held: { action: () => void; dueMs: number }[] = [];
    const release = (): void => {
      while (held[0] !== undefined && held[0].dueMs <= performance.now()) held.shift()?.action();
      if (held[0] !== undefined) setTimeout(release, held[0].dueMs - performance.now());
    };
    return (action) => {
      if (this.latencyMs === 0 && held.length === 0) return action();
      const dueMs = Math.max(held.at(-1)?.dueMs ?? 0, performance.now() + this.latencyMs);
      held.push({ action, dueMs });
      if (held.length === 1) setTimeout(release, this.latencyMs);
    };
  }
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy is not listening');
  return address.port;
}
