import type { Server } from 'node:net';
import {
  encodeBlock,
  Http2Server,
  type Http2Stream,
  type RequestHandler,
  type RequestHead,
  type StreamSink,
} from '@tollgate/http2';
import type { Logger } from 'pino';
import type { DoorMetrics, RouteMetrics } from '../../metrics/door-metrics.js';
import { failStream, TurnedAway } from './endings.js';
import { type CallHost, GrpcCall } from './grpc-call.js';
import type { Method, Methods } from './method.js';
import { GrpcError, grpcErrorOf, STATUS, STATUS_NAMES, type Status } from './status.js';
import type { ServerTls } from './tls.js';

/** Calls at once over all connections: one more is told to come back instead of waiting behind them. */
const MAX_CALLS = 10_000;

/** How long the message of a call may take to arrive: between so many and one more of the host's ticks. */
const READ_TICKS = 10;
const TICK_MS = 1000;

const GRPC = /^application\/grpc(?:\+proto)?(?:;|$)/;

const WRONG_METHOD = encodeBlock([[':status', '405']]);
const WRONG_CONTENT_TYPE = encodeBlock([[':status', '415']]);

/** Calls over HTTP/2, as Envoy and gRPC clients make them. */
export class GrpcServer implements CallHost, RequestHandler {
  private readonly http2: Http2Server;
  /** Calls that have not arrived whole. */
  private readonly reading = new Set<GrpcCall>();
  private readonly turnedAway = new Set<TurnedAway>();
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
    this.http2 = new Http2Server(this, tls);
    this.ticks = setInterval(() => this.endSlowCalls(), TICK_MS);
    this.ticks.unref();
  }

  /** Where it listens. */
  get listener(): Server {
    return this.http2.listener;
  }

  /** New connections are encrypted by something else; only with TLS. */
  renewTls(tls: ServerTls): void {
    this.http2.renewTls(tls);
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
    for (const call of this.watching) call.fail(new GrpcError(STATUS.UNAVAILABLE, 'the server stops'));
    await this.http2.close(drainMs);
  }

  request(stream: Http2Stream, { method: verb, path, fields }: RequestHead): StreamSink | undefined {
    const beganMs = performance.now();
    if (verb !== 'POST' || !GRPC.test(fields.get('content-type') ?? '')) {
      stream.respond(verb === 'POST' ? WRONG_CONTENT_TYPE : WRONG_METHOD, true);
      return undefined;
    }
    const method = this.methods.get(path);
    if (method === undefined) {
      this.lost.answered(STATUS_NAMES[STATUS.UNIMPLEMENTED], performance.now() - beganMs);
      failStream(stream, new GrpcError(STATUS.UNIMPLEMENTED, `there is no method ${path}`.slice(0, 200)));
      return undefined;
    }
    if (this.calls >= MAX_CALLS || (method.kind === 'unary' && method.isFull())) {
      this.metrics.shed();
      return new TurnedAway(stream, this.turnedAway);
    }
    try {
      if (method.kind === 'unary') method.authorize(fields);
    } catch (error) {
      const known = this.errorOf(error);
      this.counts.get(method)?.answered(STATUS_NAMES[known.status], performance.now() - beganMs);
      failStream(stream, known);
      return undefined;
    }
    this.calls++;
    return new GrpcCall(stream, method, this, {
      tick: this.tick,
      beganMs,
      encoding: fields.get('grpc-encoding'),
    });
  }

  private endSlowCalls(): void {
    this.tick++;
    for (const call of this.turnedAway) call.tell();
    for (const call of this.reading) {
      if (this.tick - call.start.tick > READ_TICKS) {
        call.fail(new GrpcError(STATUS.DEADLINE_EXCEEDED, 'the request took too long to arrive'));
      }
    }
  }
}
