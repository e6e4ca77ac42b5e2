import { createServer, isIPv6, type Server, type Socket } from 'node:net';
import { ConnectionError } from './frames.js';
import type { HeaderBlock } from './hpack.js';
import { calm, FrameBudget, type Http2Limits, STREAM_BYTES, STREAM_WINDOW } from './limits.js';

/** Interval of the deadline checks. */
export const TICK_MS = 1000;

const KEEP_ALIVE_MS = 60_000;

const NEVER = Number.POSITIVE_INFINITY;

export abstract class BoundedStream<C extends BoundedConnection> {
  bodyDeadline: number;
  responseDeadline = NEVER;
  /** Response bytes that wait for the peer. */
  backlog = 0;
  private heldBytes = STREAM_BYTES;

  constructor(protected readonly connection: C) {
    this.bodyDeadline = connection.deadlineAfter(connection.limits.bodyMs);
    connection.hold(STREAM_BYTES);
  }

  /** Ends the stream because its request is not complete in time. */
  abstract expire(): void;
  abstract respond(head: HeaderBlock, isEnd?: boolean): void;
  abstract write(bytes: Buffer): void;
  abstract end(trailers: HeaderBlock): void;

  answer(head: HeaderBlock, body: Buffer, trailers: HeaderBlock): void {
    this.respond(head);
    this.write(body);
    this.end(trailers);
  }

  authenticate(): void {
    this.connection.authenticate();
  }

  /** @returns false: the connection's bound is exceeded */
  protected addBacklog(bytes: number): boolean {
    const { connection } = this;
    this.backlog += bytes;
    connection.unsentBytes += bytes;
    this.hold(this.heldBytes + bytes);
    if (this.backlog === 0) this.responseDeadline = NEVER;
    else if (this.responseDeadline === NEVER)
      this.responseDeadline = connection.deadlineAfter(connection.limits.responseMs);
    return connection.unsentBytes <= connection.limits.connectionBacklogBytes;
  }

  protected holdInput(bytes: number): void {
    this.hold(STREAM_BYTES + this.backlog + Math.min(bytes, STREAM_WINDOW));
  }

  protected release(): void {
    this.connection.unsentBytes -= this.backlog;
    this.backlog = 0;
    this.hold(0);
  }

  private hold(bytes: number): void {
    if (bytes === this.heldBytes) return;
    this.connection.hold(bytes - this.heldBytes);
    this.heldBytes = bytes;
  }
}

export abstract class BoundedConnection {
  isReady = false;
  /** Whether the application accepted a request. */
  isAuthenticated = false;
  /** Bytes buffered for it: unsent responses, incomplete requests, open streams. */
  backlogBytes = 0;
  unsentBytes = 0;
  readonly limits: Http2Limits;
  protected readonly budget: FrameBudget;
  private idleDeadline: number;
  private isReleased = false;

  constructor(protected readonly connections: Connections) {
    this.limits = connections.limits;
    this.budget = new FrameBudget(this.limits.unauthenticatedFrameBudget);
    this.idleDeadline = this.deadlineAfter(this.limits.idleMs);
  }

  protected abstract openStreams(): readonly BoundedStream<BoundedConnection>[];
  protected abstract raiseStreams(maxStreams: number): void;
  /** Rejects new requests and closes after open ones are answered. */
  abstract leave(): void;
  /** Sends GOAWAY and closes. */
  abstract end(error: ConnectionError): void;

  deadlineAfter(ms: number): number {
    return this.connections.deadlineAfter(ms);
  }

  hold(bytes: number): void {
    if (this.isReleased) return;
    this.backlogBytes += bytes;
    this.connections.hold(bytes);
  }

  protected release(): void {
    this.hold(-this.backlogBytes);
    this.isReleased = true;
  }

  authenticate(): void {
    if (this.isAuthenticated) return;
    this.isAuthenticated = true;
    this.budget.raise(this.limits.frameBudget);
    this.raiseStreams(this.limits.maxStreams);
  }

  tick(): void {
    this.budget.refill();
    const streams = this.openStreams();
    if (streams.some(({ responseDeadline }) => this.isPast(responseDeadline))) {
      this.end(calm('response not read in time'));
      return;
    }
    for (const stream of streams) if (this.isPast(stream.bodyDeadline)) stream.expire();
    if (streams.length === 0 && this.isPast(this.idleDeadline)) this.leave();
  }

  protected charge(cost: number): void {
    try {
      this.budget.spend(cost);
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error;
      this.end(error);
    }
  }

  protected becomeIdle(): void {
    this.idleDeadline = this.deadlineAfter(this.limits.idleMs);
  }

  protected isPast(deadline: number): boolean {
    return this.connections.nowMs >= deadline;
  }
}

interface Entry {
  readonly socket: Socket;
  readonly network: string;
  readonly readyBy: number;
  peer: BoundedConnection | undefined;
}

/**
 * The listener and the limits that its connections share: number, deadlines and process-wide backlog. Time is counted
 * in ticks: a stall of this process does not count against its peers.
 */
export class Connections {
  readonly listener: Server;
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
    this.listener = createServer({ noDelay: true }, (socket) => this.accept(socket));
    this.ticks = setInterval(() => this.tick(), TICK_MS);
    this.ticks.unref();
  }

  deadlineAfter(ms: number): number {
    return this.nowMs + TICK_MS + ms;
  }

  /** Registers the connection over an admitted socket, or over a TLS socket on it. @returns the admitted socket */
  attach(socket: Pick<Socket, 'remoteAddress' | 'remotePort'>, peer: BoundedConnection): Socket | undefined {
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
    const closed = new Promise<void>((resolve) => this.listener.close(() => resolve()));
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
    const network = networkOf(socket.remoteAddress ?? '');
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
      else peer?.tick();
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
      worst.peer?.end(calm('largest part of a full backlog'));
      // Bytes queued in a socket are freed only with it.
      if ((worst.peer?.backlogBytes ?? 0) > 0) worst.socket.destroy();
      worst.peer = undefined;
    }
  }
}

function keyOf({ remoteAddress, remotePort }: Pick<Socket, 'remoteAddress' | 'remotePort'>): string {
  return `${remoteAddress} ${remotePort}`;
}

/** IPv4 address, or the /64 of an IPv6 address. */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped !== null) return mapped[1] as string;
  if (!isIPv6(address)) return address;
  const [head = '', tail] = address.split('%', 1)[0]?.split('::') ?? [];
  const groups = head === '' ? [] : head.split(':');
  const tailGroups = tail === undefined || tail === '' ? 0 : tail.split(':').length;
  if (tail !== undefined) {
    const zeros = 8 - groups.length - tailGroups;
    groups.push(...Array.from({ length: zeros }, () => '0'), ...(tail === '' ? [] : tail.split(':')));
  }
  const first = groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${first.join(':')}::/64`;
}
