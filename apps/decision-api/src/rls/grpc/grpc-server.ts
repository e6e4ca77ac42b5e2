import {
  createSecureServer,
  createServer,
  type Http2SecureServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { Logger } from 'pino';
import type { DoorMetrics, RouteMetrics } from '../../metrics/door-metrics.js';
import { type CallHost, failStream, GrpcCall } from './grpc-call.js';
import type { Method, Methods } from './method.js';
import { GrpcError, grpcErrorOf, STATUS, STATUS_NAMES, type Status } from './status.js';
import type { ServerTls } from './tls.js';

/** Calls of one connection at once. */
const MAX_STREAMS = 1000;

/** Calls at once over all connections: one more is told to come back instead of waiting behind them. */
const MAX_CALLS = 10_000;

/** How long the message of a call may take to arrive: between so many and one more of the host's ticks. */
const READ_TICKS = 10;
const TICK_MS = 1000;

const GRPC = /^application\/grpc(?:\+proto)?(?:;|$)/;

/** How long a client may take to agree on how to encrypt. */
const HANDSHAKE_MS = 10_000;

const SETTINGS = { settings: { maxConcurrentStreams: MAX_STREAMS, enablePush: false } };

/** Calls over HTTP/2, as Envoy and gRPC clients make them. */
export class GrpcServer implements CallHost {
  readonly http2: Http2Server | Http2SecureServer;
  private readonly sessions = new Set<ServerHttp2Session>();
  /** Calls that have not arrived whole. */
  private readonly reading = new Set<GrpcCall>();
  /** Calls that end only when somebody ends them. */
  private readonly watching = new Set<GrpcCall>();
  private readonly ticks: NodeJS.Timeout;
  private tick = 0;
  private calls = 0;
  private readonly counts = new Map<Method, RouteMetrics>();
  private readonly lost: RouteMetrics;

  constructor(
    private readonly methods: Methods,
    private readonly logger: Logger,
    private readonly metrics: DoorMetrics,
    /** Left out: without TLS. */
    tls?: ServerTls,
  ) {
    for (const [path, method] of methods) this.counts.set(method, metrics.route('grpc', path));
    this.lost = metrics.route('grpc', 'unknown');
    this.http2 =
      tls === undefined
        ? createServer(SETTINGS)
        : createSecureServer({ ...SETTINGS, ...tls, handshakeTimeout: HANDSHAKE_MS });
    this.http2.on('session', (session: ServerHttp2Session) => {
      this.sessions.add(session);
      session.once('close', () => this.sessions.delete(session));
    });
    // Of a connection that broke or spoke no HTTP/2: it is gone already.
    this.http2.on('sessionError', () => undefined);
    this.http2.on('stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) =>
      this.accept(stream, headers),
    );
    this.ticks = setInterval(() => this.endSlowCalls(), TICK_MS);
    this.ticks.unref();
  }

  begun(call: GrpcCall): void {
    this.reading.add(call);
  }

  arrived(call: GrpcCall): void {
    this.reading.delete(call);
    if (call.method.kind === 'watch') this.watching.add(call);
  }

  ended(call: GrpcCall): void {
    this.reading.delete(call);
    this.watching.delete(call);
  }

  closed(): void {
    this.calls--;
  }

  answered({ method, start }: GrpcCall, status: Status): void {
    this.counts.get(method)?.answered(STATUS_NAMES[status], performance.now() - start.beganMs);
  }

  errorOf(error: unknown): GrpcError {
    const known = grpcErrorOf(error);
    if (known !== undefined) return known;
    this.logger.error({ err: error }, 'call failed');
    return new GrpcError(STATUS.INTERNAL, 'something went wrong on our side');
  }

  /** Takes no new calls, and resolves when those at work have ended; after `drainMs` they are cut off. */
  async close(drainMs: number): Promise<void> {
    clearInterval(this.ticks);
    const closed = new Promise<void>((resolve) => this.http2.close(() => resolve()));
    for (const call of this.watching) call.fail(new GrpcError(STATUS.UNAVAILABLE, 'the server stops'));
    for (const session of this.sessions) session.close();
    const force = setTimeout(() => {
      for (const session of this.sessions) session.destroy();
    }, drainMs);
    await closed;
    clearTimeout(force);
  }

  private accept(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
    const beganMs = performance.now();
    // Resets and connections that break are part of the trade: `close` follows.
    stream.on('error', () => undefined);
    const contentType = headers['content-type'];
    if (headers[':method'] !== 'POST' || contentType === undefined || !GRPC.test(contentType)) {
      const status = headers[':method'] === 'POST' ? 415 : 405;
      stream.respond({ ':status': status }, { endStream: true });
      stream.close();
      return;
    }
    const method = this.methods.get(headers[':path'] ?? '');
    if (method === undefined) {
      this.lost.answered(STATUS_NAMES[STATUS.UNIMPLEMENTED], performance.now() - beganMs);
      failStream(stream, STATUS.UNIMPLEMENTED, `there is no method ${headers[':path']}`.slice(0, 200));
      return;
    }
    if (this.calls >= MAX_CALLS) {
      this.metrics.shed();
      failStream(stream, STATUS.UNAVAILABLE, 'too many calls at once');
      return;
    }
    if (method.kind === 'unary') {
      try {
        method.authorize(headers);
      } catch (error) {
        const { status, message } = this.errorOf(error);
        this.counts.get(method)?.answered(STATUS_NAMES[status], performance.now() - beganMs);
        failStream(stream, status, message);
        return;
      }
    }
    this.calls++;
    const encoding = headers['grpc-encoding'];
    new GrpcCall(stream, method, this, {
      tick: this.tick,
      beganMs,
      encoding: Array.isArray(encoding) ? encoding.join() : encoding,
    });
  }

  private endSlowCalls(): void {
    this.tick++;
    for (const call of this.reading) {
      if (this.tick - call.start.tick > READ_TICKS) {
        call.fail(new GrpcError(STATUS.DEADLINE_EXCEEDED, 'the request took too long to arrive'));
      }
    }
  }
}
