import { createServer as createNetServer, type Server, type Socket } from 'node:net';
import {
  createServer as createTlsServer,
  type SecureContextOptions,
  type TLSSocket,
  type TlsOptions,
  Server as TlsServer,
} from 'node:tls';
import { Http2Connection, type RequestHandler } from './connection.js';

const TICK_MS = 1000;

/** How long a client may take to agree on how to encrypt. */
const HANDSHAKE_MS = 10_000;

/** Peers that are gone without a word are found by asking, after so long of silence. */
const KEEP_ALIVE_MS = 60_000;

/** HTTP/2 for those who know that it is spoken here: without TLS by prior knowledge, with TLS by ALPN. */
export class Http2Server {
  /** Where it listens. */
  readonly listener: Server;
  private readonly connections = new Set<Http2Connection>();
  private readonly ticks: NodeJS.Timeout;

  /** @param tls left out: without */
  constructor(
    private readonly handler: RequestHandler,
    tls?: TlsOptions,
  ) {
    this.listener =
      tls === undefined
        ? createNetServer({ noDelay: true }, (socket) => this.accept(socket))
        : createTlsServer(
            { ...tls, ALPNProtocols: ['h2'], handshakeTimeout: HANDSHAKE_MS, noDelay: true },
            (socket) => this.acceptSecure(socket),
          );
    this.ticks = setInterval(() => {
      for (const connection of this.connections) connection.tick();
    }, TICK_MS);
    this.ticks.unref();
  }

  /** What new connections are encrypted by from now on; without TLS nothing. */
  renewTls(context: SecureContextOptions): void {
    if (this.listener instanceof TlsServer) this.listener.setSecureContext(context);
  }

  /** Takes no new connections and requests, and resolves when those at work have ended; after `drainMs` they are cut off. */
  async close(drainMs: number): Promise<void> {
    const closed = new Promise<void>((resolve) => this.listener.close(() => resolve()));
    for (const connection of this.connections) connection.leave();
    const force = setTimeout(() => {
      for (const connection of this.connections) connection.destroy();
    }, drainMs);
    await closed;
    clearTimeout(force);
    clearInterval(this.ticks);
  }

  private acceptSecure(socket: TLSSocket): void {
    if (socket.alpnProtocol === 'h2') this.accept(socket);
    else socket.destroy();
  }

  private accept(socket: Socket): void {
    socket.setKeepAlive(true, KEEP_ALIVE_MS);
    // Connections that break are part of the trade: `close` follows.
    socket.on('error', () => undefined);
    const connection = new Http2Connection(socket, this.handler);
    this.connections.add(connection);
    socket.on('close', () => this.connections.delete(connection));
  }
}
