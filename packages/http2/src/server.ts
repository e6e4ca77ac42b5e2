import { createServer as createNodeServer } from 'node:http2';
import type { Server, Socket } from 'node:net';
import {
  createServer as createTlsServer,
  type SecureContextOptions,
  type TLSSocket,
  type TlsOptions,
  type Server as TlsServer,
} from 'node:tls';
import { Http2Connection, type RequestHandler } from './connection.js';
import { Connections } from './connections.js';
import { DEFAULT_LIMITS, type Http2Limits, MAX_HEAD_BYTES, STREAM_WINDOW } from './limits.js';
import { NodeConnection } from './node-connection.js';

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

/** With `requestCert` and without `rejectUnauthorized`, clients may omit their certificate. */
export type ServerTls = SecureContextOptions & Pick<TlsOptions, 'requestCert' | 'rejectUnauthorized'>;

export interface HttpServerOptions {
  readonly tls?: ServerTls | undefined;
  readonly limits?: Partial<Http2Limits>;
}

export interface HttpServer {
  readonly listener: Server;
  /** New connections use this certificate. */
  renewTls(context: SecureContextOptions): void;
  /** Rejects connections and new requests; resolves when open ones are answered, or after `drainMs` at the latest. */
  close(drainMs: number): Promise<void>;
}

/** This package's implementation, and `node:http2`. */
export const TRANSPORTS = ['tollgate', 'node'] as const;
export type Transport = (typeof TRANSPORTS)[number];

/** HTTP/2 with prior knowledge, or over TLS with ALPN. Both implementations apply the same limits. */
export function createHttpServer(
  transport: Transport,
  handler: RequestHandler,
  options: HttpServerOptions = {},
): HttpServer {
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const secure = options.tls && createSecure(options.tls, limits);
  const connections = new Connections(limits, (socket) => {
    if (secure === undefined) serve(socket);
    else secure.emit('connection', socket);
  });
  const serve =
    transport === 'node'
      ? nodeServing(handler, connections)
      : (socket: Socket) => connections.attach(socket, new Http2Connection(socket, handler, connections));
  secure?.on('secureConnection', (socket) => {
    socket.on('error', () => undefined);
    if (socket.alpnProtocol === 'h2' && hasAcceptedCertificate(socket)) serve(socket);
    else socket.destroy();
  });
  return {
    listener: connections.listener,
    renewTls: (context) => secure?.setSecureContext(context),
    close: (drainMs) => connections.close(drainMs),
  };
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

/** The server does not listen. @returns a function that serves a socket */
function nodeServing(handler: RequestHandler, connections: Connections): (socket: Socket) => void {
  const server = createNodeServer({
    settings: {
      maxConcurrentStreams: connections.limits.unauthenticatedStreams,
      initialWindowSize: STREAM_WINDOW,
      maxHeaderListSize: MAX_HEAD_BYTES,
    },
    maxSessionMemory: 4,
  });
  server.on('session', (session) => new NodeConnection(session, handler, connections));
  server.on('sessionError', () => undefined);
  return (socket) => server.emit('connection', socket);
}

function hasAcceptedCertificate(socket: TLSSocket): boolean {
  return socket.authorized || Object.keys(socket.getPeerCertificate() ?? {}).length === 0;
}
