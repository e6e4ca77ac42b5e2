import { createServer, type Server, type Socket } from 'node:net';
import { clientNetwork } from '@tollgate/contracts';
import type { Http2Limits } from './limits.js';

/** Interval of the checks of deadlines and budgets: what a connection may send unnoticed is bounded by it. */
const TICK_MS = 100;

const KEEP_ALIVE_MS = 60_000;

/** What the listener knows of a connection. */
export interface Peer {
  readonly isReady: boolean;
  /** Whether a call was authorized. */
  readonly isAuthenticated: boolean;
  readonly backlogBytes: number;
  tick(ms: number): void;
  /** Rejects new requests and closes after open ones are answered. */
  leave(): void;
  /** Closes with ENHANCE_YOUR_CALM. */
  end(message: string): void;
}

interface Entry {
  readonly socket: Socket;
  readonly network: string;
  readonly readyBy: number;
  peer: Peer | undefined;
}

/**
 * Accepts connections within the limits that they share: number, deadlines and process-wide backlog. Time is counted
 * in ticks: a stall of this process does not count against its peers.
 */
export class Listener {
  readonly server: Server;
  nowMs = 0;
  /** Oldest first, by remote address and port, which a TLS socket shares with its TCP socket. */
  private readonly entries = new Map<string, Entry>();
  private readonly perNetwork = new Map<string, number>();
  private readonly ticks: NodeJS.Timeout;
  private backlogBytes = 0;
  private isTrimming = false;

  constructor(
    readonly limits: Http2Limits,
    private readonly serve: (socket: Socket) => void,
  ) {
    this.server = createServer({ noDelay: true }, (socket) => this.accept(socket));
    this.ticks = setInterval(() => this.tick(), TICK_MS);
    this.ticks.unref();
  }

  deadlineAfter(ms: number): number {
    return this.nowMs + TICK_MS + ms;
  }

  /** Registers the connection over an admitted socket, or over a TLS socket on it. @returns the admitted socket */
  attach(socket: Pick<Socket, 'remoteAddress' | 'remotePort'>, peer: Peer): Socket | undefined {
    const entry = this.entries.get(keyOf(socket));
    if (entry !== undefined) entry.peer = peer;
    return entry?.socket;
  }

  hold(bytes: number): void {
    this.backlogBytes += bytes;
    if (this.backlogBytes <= this.limits.backlogBytes || this.isTrimming) return;
    this.isTrimming = true;
    // Later, because the write that exceeded the budget may belong to the connection that is closed.
    process.nextTick(() => this.trim());
  }

  /** Rejects connections and new requests; resolves when open ones are answered, or after `drainMs` at the latest. */
  async close(drainMs: number): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    for (const { peer, socket } of [...this.entries.values()]) {
      if (peer?.isReady) peer.leave();
      else socket.destroy();
    }
    const force = setTimeout(() => {
      for (const { socket } of [...this.entries.values()]) socket.destroy();
    }, drainMs);
    await closed;
    clearTimeout(force);
    clearInterval(this.ticks);
  }

  private accept(socket: Socket): void {
    socket.on('error', () => undefined);
    const { limits, entries, perNetwork } = this;
    const network = clientNetwork(socket.remoteAddress ?? '') ?? '';
    const isNetworkFull = (perNetwork.get(network) ?? 0) >= limits.maxConnectionsPerAddress;
    if (
      (isNetworkFull && !this.makeRoom(network)) ||
      (entries.size >= limits.maxConnections && !this.makeRoom())
    ) {
      socket.destroy();
      return;
    }
    const key = keyOf(socket);
    const entry = { socket, network, readyBy: this.deadlineAfter(limits.handshakeMs), peer: undefined };
    entries.set(key, entry);
    perNetwork.set(network, (perNetwork.get(network) ?? 0) + 1);
    socket.on('close', () => this.remove(key, entry));
    socket.setKeepAlive(true, KEEP_ALIVE_MS);
    this.serve(socket);
  }

  /** @returns false: all connections are authenticated */
  private makeRoom(network?: string): boolean {
    for (const [key, entry] of this.entries) {
      if (entry.peer?.isAuthenticated || (network !== undefined && entry.network !== network)) continue;
      this.remove(key, entry);
      entry.socket.destroy();
      return true;
    }
    return false;
  }

  private remove(key: string, entry: Entry): void {
    if (this.entries.get(key) !== entry) return;
    this.entries.delete(key);
    const left = (this.perNetwork.get(entry.network) ?? 1) - 1;
    if (left === 0) this.perNetwork.delete(entry.network);
    else this.perNetwork.set(entry.network, left);
  }

  private tick(): void {
    this.nowMs += TICK_MS;
    for (const { socket, peer, readyBy } of [...this.entries.values()]) {
      if (!peer?.isReady && this.nowMs >= readyBy) socket.destroy();
      else peer?.tick(TICK_MS);
    }
  }

  private trim(): void {
    this.isTrimming = false;
    while (this.backlogBytes > this.limits.backlogBytes) {
      let worst: Entry | undefined;
      for (const entry of this.entries.values()) {
        if ((entry.peer?.backlogBytes ?? 0) > (worst?.peer?.backlogBytes ?? 0)) worst = entry;
      }
      if (worst === undefined) return;
      worst.peer?.end('largest part of a full backlog');
      // Bytes queued in a socket are freed only with it.
      if ((worst.peer?.backlogBytes ?? 0) > 0) worst.socket.destroy();
      worst.peer = undefined;
    }
  }
}

function keyOf({ remoteAddress, remotePort }: Pick<Socket, 'remoteAddress' | 'remotePort'>): string {
  return `${remoteAddress} ${remotePort}`;
}
