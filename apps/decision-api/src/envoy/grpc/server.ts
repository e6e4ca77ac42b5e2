import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http2';
import { type Logger, type ShedReason, type Tracing } from '@tollgate/logging';
import { RequestTrace } from '../../http/request-trace.js';
import { type RouteMetrics, type ServerMetrics } from '../../metrics/metrics.js';
import type { RequestHandler, RequestSink, RequestStream } from './connection.js';
import { Http2Server, type Http2ServerOptions } from './http2-server.js';
import {
  ACCEPTED_ENCODINGS,
  GrpcError,
  grpcErrorOf,
  MAX_AUTHORIZED_BYTES,
  MAX_MESSAGE_BYTES,
  MessageReader,
  OVERLOADED,
  STATUS,
  STATUS_NAMES,
  type Status,
} from './protocol.js';

/** One request, one response. Responses are frames with their head. */
export interface UnaryMethod {
  readonly kind: 'unary';
  /** Runs before the request is read. @throws TollgateError if the caller is not authorized. Absent: open to all */
  readonly authorize?: (headers: IncomingHttpHeaders) => void;
  /** Returns the reason to shed a call before it is read. Absent: calls are never shed. */
  readonly shedReason?: () => ShedReason | undefined;
  /** Absent: calls are neither counted nor traced. */
  readonly metrics?: RouteMetrics;
  /** @param metrics default: those of the method */
  readonly handle: (message: Buffer, metrics?: RouteMetrics) => Buffer | Promise<Buffer>;
}

/** Any number of requests, a response to each, in order. */
export interface StreamMethod {
  readonly kind: 'stream';
  readonly handle: (message: Buffer) => Buffer;
}

/** One request, then responses until the caller cancels or the server shuts down. */
export interface WatchMethod {
  readonly kind: 'watch';
  /** @returns function that stops sending */
  readonly handle: (message: Buffer, send: (frame: Buffer) => void) => () => void;
}

export type Method = UnaryMethod | StreamMethod | WatchMethod;

export type Methods = ReadonlyMap<string, Method>;

const HEAD: OutgoingHttpHeaders = { ':status': 200, 'content-type': 'application/grpc' };
const OK_TRAILERS: OutgoingHttpHeaders = { 'grpc-status': '0' };

/** Sends only headers if no response was started. */
function failStream(stream: RequestStream, error: GrpcError): void {
  if (stream.hasResponded) stream.end(trailersOf(error));
  else stream.respond({ ...HEAD, ...trailersOf(error) }, true);
}

const OVERLOADED_HEAD = { ...HEAD, ...trailersOf(OVERLOADED) };

/** Responds to a shed call when its request is complete: then the stream need not be reset. */
class ShedCall implements RequestSink {
  constructor(private readonly stream: RequestStream) {}

  data(_: Buffer, isLast: boolean): void {
    if (isLast) this.expired();
  }

  expired(): void {
    this.stream.respond(OVERLOADED_HEAD, true);
  }

  closed(): void {}
}

function trailersOf({ status, message }: GrpcError): OutgoingHttpHeaders {
  return {
    'grpc-status': String(status),
    'grpc-message': percentEncoded(message),
    ...(status === STATUS.UNIMPLEMENTED ? { 'grpc-accept-encoding': ACCEPTED_ENCODINGS } : {}),
  };
}

/** The gRPC protocol requires percent-encoding of everything but printable ASCII without `%`. */
function percentEncoded(message: string): string {
  return message.replace(/[^\x20-\x24\x26-\x7e]/gu, (character) =>
    [...Buffer.from(character)]
      .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
      .join(''),
  );
}

/** Bytes of responses to one call that wait for the caller. */
const MAX_UNREAD_BYTES = 256 * 1024;

export interface CallStart {
  readonly startedMs: number;
  readonly encoding: string | undefined;
  /** Undefined: the call is not sampled. */
  readonly trace: RequestTrace | undefined;
}

class GrpcCall implements RequestSink {
  private readonly reader: MessageReader;
  private message: Buffer | undefined;
  private isEnded = false;
  private stopWatching: (() => void) | undefined;

  constructor(
    private readonly stream: RequestStream,
    readonly method: Method,
    private readonly host: GrpcServer,
    readonly start: CallStart,
  ) {
    const isAuthorized = accessOf(method) === 'authorized';
    this.reader = new MessageReader(start.encoding, isAuthorized ? MAX_AUTHORIZED_BYTES : MAX_MESSAGE_BYTES);
  }

  data(bytes: Buffer, isLast: boolean): void {
    if (this.isEnded) return;
    try {
      for (const message of this.reader.push(bytes)) this.take(message);
      if (isLast) this.readAll();
    } catch (error) {
      this.fail(error);
    }
  }

  expired(): void {
    this.fail(new GrpcError(STATUS.DEADLINE_EXCEEDED, 'the request took too long to arrive'));
  }

  closed(): void {
    if (this.isEnded) return;
    this.end();
    this.start.trace?.end({}, 'CANCELLED');
  }

  /** Work in progress continues; its result is discarded. */
  fail(error: unknown): void {
    if (this.isEnded) return;
    this.end();
    const known = this.host.errorOf(error);
    this.host.answered(this, known.status);
    failStream(this.stream, known);
  }

  private take(message: Buffer): void {
    if (this.method.kind === 'stream') {
      this.send(this.method.handle(message));
      return;
    }
    if (this.message !== undefined) throw new GrpcError(STATUS.INVALID_ARGUMENT, 'one request, not several');
    this.message = message;
  }

  private send(frame: Buffer): void {
    this.stream.respond(HEAD);
    this.stream.write(frame);
    if (this.stream.backlog > MAX_UNREAD_BYTES) {
      throw new GrpcError(STATUS.RESOURCE_EXHAUSTED, 'read the answers before asking for more');
    }
  }

  private readAll(): void {
    if (this.reader.isMidway) throw new GrpcError(STATUS.INVALID_ARGUMENT, 'the message is cut off');
    const { message, method } = this;
    if (method.kind === 'stream') {
      this.answer(undefined);
      return;
    }
    if (message === undefined) throw new GrpcError(STATUS.INVALID_ARGUMENT, 'a call has one request');
    if (method.kind === 'watch') this.watch(method, message);
    else this.handle(method, message);
  }

  private watch(method: WatchMethod, message: Buffer): void {
    this.host.watching(this);
    this.stopWatching = method.handle(message, (frame) => this.sendOrFail(frame));
  }

  /** Fails only this call, because one event is sent to many watchers. */
  private sendOrFail(frame: Buffer): void {
    try {
      this.send(frame);
    } catch (error) {
      this.fail(error);
    }
  }

  private handle(method: UnaryMethod, message: Buffer): void {
    const { trace } = this.start;
    const answer = method.handle(message, method.metrics && trace?.recording(method.metrics));
    if (Buffer.isBuffer(answer)) this.answer(answer);
    else
      answer.then(
        (frame) => this.answer(frame),
        (error: unknown) => this.fail(error),
      );
  }

  /** A decision remains charged even if the caller has disconnected. */
  private answer(frame: Buffer | undefined): void {
    if (this.isEnded) return;
    this.end();
    this.stream.respond(HEAD);
    this.stream.end(OK_TRAILERS, frame);
    this.host.answered(this, STATUS.OK);
  }

  private end(): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.stopWatching?.();
    this.host.ended(this);
  }
}

/** Authorized calls in flight, over all connections; further ones are shed. */
const MAX_CALLS = 10_000;

/** Separate bound, so that unauthenticated calls cannot exhaust that of authorized ones. */
export const MAX_PUBLIC_CALLS = 256;

const GRPC = /^application\/grpc(?:\+proto)?(?:;|$)/;

const WRONG_METHOD = { ':status': 405 };
const WRONG_CONTENT_TYPE = { ':status': 415 };

export interface GrpcServerOptions extends Http2ServerOptions {
  /** Default: off. */
  readonly tracing?: Tracing | undefined;
}

/** gRPC over HTTP/2, as Envoy and gRPC clients call it. */
export class GrpcServer implements RequestHandler {
  readonly http2: Http2Server;
  /** Watch calls, which end only on cancellation or shutdown. */
  private readonly watchers = new Set<GrpcCall>();
  private readonly inFlight = { authorized: 0, public: 0 };
  private readonly unknownMethods: RouteMetrics;
  private readonly tracing: Tracing | undefined;

  constructor(
    private readonly methods: Methods,
    private readonly logger: Logger,
    private readonly metrics: ServerMetrics,
    { tracing, ...options }: GrpcServerOptions = {},
  ) {
    this.tracing = tracing;
    this.unknownMethods = metrics.route('unknown method');
    this.http2 = new Http2Server(this, options);
  }

  watching(call: GrpcCall): void {
    this.inFlight.public--;
    this.watchers.add(call);
  }

  /** The call has its status, though the peer may not have read it yet. */
  ended(call: GrpcCall): void {
    if (this.watchers.delete(call)) return;
    this.inFlight[accessOf(call.method)]--;
  }

  answered({ method, start }: GrpcCall, status: Status): void {
    count(method, status, start.startedMs);
    const error = status === STATUS.OK ? undefined : STATUS_NAMES[status];
    start.trace?.end({ 'rpc.grpc.status_code': status }, error);
  }

  errorOf(error: unknown): GrpcError {
    const known = grpcErrorOf(error);
    if (known !== undefined) return known;
    this.logger.error({ err: error }, 'call failed');
    return new GrpcError(STATUS.INTERNAL, 'internal error');
  }

  /** Rejects new calls; resolves when open calls have ended, or after `drainMs` at the latest. */
  async close(drainMs: number): Promise<void> {
    for (const call of this.watchers) call.fail(new GrpcError(STATUS.UNAVAILABLE, 'the server stops'));
    await this.http2.close(drainMs);
  }

  request(stream: RequestStream, headers: IncomingHttpHeaders): RequestSink | undefined {
    const startedMs = performance.now();
    const { ':method': verb, ':path': path = '' } = headers;
    if (verb !== 'POST' || !GRPC.test(headers['content-type'] ?? '')) {
      stream.respond(verb === 'POST' ? WRONG_CONTENT_TYPE : WRONG_METHOD, true);
      return undefined;
    }
    const method = this.methods.get(path);
    if (method === undefined) {
      this.unknownMethods.answered('rejected', performance.now() - startedMs, 'UNIMPLEMENTED');
      failStream(stream, new GrpcError(STATUS.UNIMPLEMENTED, `unknown method ${path}`.slice(0, 200)));
      return undefined;
    }
    const shedReason = this.shedReason(method);
    if (shedReason !== undefined) {
      this.metrics.shed(shedReason);
      count(method, OVERLOADED.status, startedMs);
      return new ShedCall(stream);
    }
    const access = accessOf(method);
    try {
      if (method.kind === 'unary') method.authorize?.(headers);
    } catch (error) {
      const known = this.errorOf(error);
      count(method, known.status, startedMs);
      failStream(stream, known);
      return undefined;
    }
    if (access === 'authorized') stream.authenticate();
    this.inFlight[access]++;
    const trace = this.traceOf(method, path, fieldOf(headers.traceparent));
    return new GrpcCall(stream, method, this, {
      startedMs,
      encoding: fieldOf(headers['grpc-encoding']),
      trace,
    });
  }

  private traceOf(method: Method, path: string, traceparent: string | undefined): RequestTrace | undefined {
    if (this.tracing === undefined || method.kind !== 'unary' || method.metrics === undefined)
      return undefined;
    const [, service = '', name = ''] = path.split('/');
    const attributes = { 'rpc.system': 'grpc', 'rpc.service': service, 'rpc.method': name };
    return RequestTrace.start(this.tracing, traceparent, path.slice(1), attributes);
  }

  private shedReason(method: Method): ShedReason | undefined {
    const access = accessOf(method);
    if (this.inFlight[access] >= (access === 'public' ? MAX_PUBLIC_CALLS : MAX_CALLS)) return 'in_flight';
    return method.kind === 'unary' ? method.shedReason?.() : undefined;
  }
}

/** Of a field that `node:http2` gives as a list if it is repeated. */
function fieldOf(field: string | string[] | undefined): string | undefined {
  return Array.isArray(field) ? field.join(', ') : field;
}

/** Errors of the server; the others are errors of the caller. */
const FAILURES: ReadonlySet<Status> = new Set([STATUS.INTERNAL, STATUS.UNAVAILABLE]);

function count(method: Method, status: Status, startedMs: number): void {
  if (method.kind !== 'unary') return;
  const durationMs = performance.now() - startedMs;
  if (status === STATUS.OK) method.metrics?.responded(200, durationMs);
  else
    method.metrics?.answered(FAILURES.has(status) ? 'failed' : 'rejected', durationMs, STATUS_NAMES[status]);
}

function accessOf(method: Method): 'authorized' | 'public' {
  return method.kind === 'unary' && method.authorize !== undefined ? 'authorized' : 'public';
}
