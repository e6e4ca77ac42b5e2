import { createServer } from 'node:http2';
import type { Server, Socket } from 'node:net';
import {
  createServer as createTlsServer,
  type SecureContextOptions,
  type TLSSocket,
  type TlsOptions,
  type Server as TlsServer,
} from 'node:tls';
import { Connection, type RequestHandler } from './connection.js';
import { DEFAULT_LIMITS, type Http2Limits, MAX_HEAD_BYTES, STREAM_WINDOW } from './limits.js';
import { Listener } from './listener.js';

/** TLS 1.3, and suites of TLS 1.2 with forward secrecy and authenticated encryption: RFC 9113 §9.2.2. */
const CIPHERS = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':');

const MAX_SESSION_MB = 4;

/** With `requestCert` and without `rejectUnauthorized`, clients may omit their certificate. */
export type ServerTls = SecureContextOptions & Pick<TlsOptions, 'requestCert' | 'rejectUnauthorized'>;

export interface Http2ServerOptions {
  readonly tls?: ServerTls | undefined;
  readonly limits?: Partial<Http2Limits>;
}

/** HTTP/2 with prior knowledge, or over TLS with ALPN, by `node:http2` and within {@link Http2Limits}. */
export class Http2Server {
  readonly listener: Listener;
  private readonly secure: TlsServer | undefined;

  constructor(handler: RequestHandler, options: Http2ServerOptions = {}) {
    const limits = { ...DEFAULT_LIMITS, ...options.limits };
    // Neither this server nor that of TLS listens: they get the connections that the listener admits.
    const sessions = createServer({
      settings: {
        maxConcurrentStreams: limits.maxStreams,
        initialWindowSize: STREAM_WINDOW,
        maxHeaderListSize: MAX_HEAD_BYTES,
      },
      maxSessionMemory: MAX_SESSION_MB,
    });
    const secure = options.tls && createSecure(options.tls, limits);
    this.secure = secure;
    this.listener = new Listener(limits, (socket: Socket) => (secure ?? sessions).emit('connection', socket));
    sessions.on('session', (session) => new Connection(session, handler, this.listener));
    sessions.on('sessionError', () => undefined);
    secure?.on('secureConnection', (socket) => {
      socket.on('error', () => undefined);
      if (socket.alpnProtocol === 'h2' && hasAcceptedCertificate(socket)) sessions.emit('connection', socket);
      else socket.destroy();
    });
  }

  /** Listens, and emits `close`. */
  get server(): Server {
    return this.listener.server;
  }

  /** New connections use this certificate. */
  renewTls(context: SecureContextOptions): void {
    this.secure?.setSecureContext(context);
  }

  /** Rejects connections and new requests; resolves when open ones are answered, or after `drainMs` at the latest. */
  close(drainMs: number): Promise<void> {
    return this.listener.close(drainMs);
  }
}

function createSecure(tls: ServerTls, { handshakeMs }: Http2Limits): TlsServer {
  return createTlsServer({
    ...tls,
    ALPNProtocols: ['h2'],
    minVersion: 'TLSv1.2',
    ciphers: CIPHERS,
    honorCipherOrder: true,
    handshakeTimeout: handshakeMs,
  });
}

function hasAcceptedCertificate(socket: TLSSocket): boolean {
  return socket.authorized || Object.keys(socket.getPeerCertificate() ?? {}).length === 0;
}
