import type { Server } from 'node:net';
import {
  createHttpServer,
  HeaderBlock,
  type HttpServer,
  type HttpServerOptions,
  type RequestHandler,
  type RequestHead,
  type ServerStream,
  type ServerTls,
  type StreamSink,
  type Transport,
} from '@tollgate/http2';
import type { Logger } from 'pino';
import type { ShedReason } from '../../http/admission.js';
import type { DoorMetrics, RouteMetrics } from '../../metrics/door-metrics.js';
import { failStream, ShedCall } from './endings.js';
import { type CallHost, GrpcCall } from './grpc-call.js';
import type { Method, Methods } from './method.js';
import { GrpcError, grpcErrorOf, STATUS, STATUS_NAMES, type Status } from './status.js';

/** Authorized calls without a status, over all connections; further ones are shed. */
const MAX_CALLS = 10_000;

/** The same of methods that are open to all: a bound of their own, so that they cannot exhaust that of authorized calls. */
export const MAX_PUBLIC_CALLS = 256;

const GRPC = /^application\/grpc(?:\+proto)?(?:;|$)/;

const WRONG_METHOD = new HeaderBlock([[':status', '405']]);
const WRONG_CONTENT_TYPE = new HeaderBlock([[':status', '415']]);

export interface GrpcServerOptions extends HttpServerOptions {
  /** Implementation of HTTP/2; left out: ours. */
  readonly transport?: Transport;
}

/** gRPC over HTTP/2, as Envoy and gRPC clients call it. */
export class GrpcServer implements CallHost, RequestHandler {
  private readonly http2: HttpServer;
  /** Calls that end only when somebody ends them. */
  private readonly watchers = new Set<GrpcCall>();
  /** Calls without a status. */
  private readonly inWork = { authorized: 0, public: 0 };
  private readonly counts = new Map<Method, RouteMetrics>();
  private readonly lost: RouteMetrics;

  constructor(
    private readonly methods: Methods,
    private readonly logger: Logger,
    private readonly metrics: DoorMetrics,
    { transport = 'tollgate', ...options }: GrpcServerOptions = {},
  ) {
    for (const [path, method] of methods) this.counts.set(method, metrics.route('grpc', path));
    this.lost = metrics.route('grpc', 'unknown');
    this.http2 = createHttpServer(transport, this, options);
  }

  /** Where it listens. */
  get listener(): Server {
    return this.http2.listener;
  }

  /** New connections use this certificate; without TLS nothing changes. */
  renewTls(tls: ServerTls): void {
    this.http2.renewTls(tls);
  }

  watching(call: GrpcCall): void {
    this.inWork.public--;
    this.watchers.add(call);
  }

  ended(call: GrpcCall): void {
    if (this.watchers.delete(call)) return;
    this.inWork[accessOf(call.method)]--;
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

  /** Refuses new calls; resolves when the open ones have ended, or after `drainMs` at the latest. */
  async close(drainMs: number): Promise<void> {
    for (const call of this.watchers) call.fail(new GrpcError(STATUS.UNAVAILABLE, 'the server stops'));
    await this.http2.close(drainMs);
  }

  request(stream: ServerStream, { method: verb, path, fields }: RequestHead): StreamSink | undefined {
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
    const shedReason = this.shedReason(method);
    if (shedReason !== undefined) {
      this.metrics.shed(shedReason);
      return new ShedCall(stream);
    }
    const access = accessOf(method);
    try {
      if (method.kind === 'unary') method.authorize?.(fields);
    } catch (error) {
      const known = this.errorOf(error);
      this.counts.get(method)?.answered(STATUS_NAMES[known.status], performance.now() - beganMs);
      failStream(stream, known);
      return undefined;
    }
    if (access === 'authorized') stream.authenticate();
    this.inWork[access]++;
    return new GrpcCall(stream, method, this, { beganMs, encoding: fields.get('grpc-encoding') });
  }

  private shedReason(method: Method): ShedReason | undefined {
    const access = accessOf(method);
    if (this.inWork[access] >= (access === 'public' ? MAX_PUBLIC_CALLS : MAX_CALLS)) return 'in_flight';
    return method.kind === 'unary' ? method.shedReason?.() : undefined;
  }
}

function accessOf(method: Method): 'authorized' | 'public' {
  return method.kind === 'unary' && method.authorize !== undefined ? 'authorized' : 'public';
}
