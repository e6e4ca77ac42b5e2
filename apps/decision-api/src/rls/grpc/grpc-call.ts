import { constants, type OutgoingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import { ACCEPTED_ENCODINGS, decompress } from './compression.js';
import { MessageReader } from './framing.js';
import type { Method, UnaryMethod, WatchMethod } from './method.js';
import { GrpcError, STATUS, type Status } from './status.js';

const CONTENT_TYPE = 'application/grpc';
const HEADERS: OutgoingHttpHeaders = { ':status': 200, 'content-type': CONTENT_TYPE };
const OK_TRAILERS: OutgoingHttpHeaders = { 'grpc-status': '0' };
const WITH_TRAILERS = { waitForTrailers: true } as const;

/** Answers that may wait for a caller to read them. */
const MAX_UNREAD_BYTES = 1024 * 1024;

/** What a call came with. */
export interface CallStart {
  /** By the host's ticks: what does not arrive within some is ended. */
  readonly tick: number;
  /** By `performance.now()`. */
  readonly beganMs: number;
  /** How its messages may be compressed. */
  readonly encoding: string | undefined;
}

/** Told of calls that are at work, and of faults that are ours. */
export interface CallHost {
  begun(call: GrpcCall): void;
  /** All that it asks is here. */
  arrived(call: GrpcCall): void;
  ended(call: GrpcCall): void;
  /** Its stream is gone. */
  closed(): void;
  /** A call was answered, by a status. */
  answered(call: GrpcCall, status: Status): void;
  /** The status that a fault ends a call with; logs what is not the caller's. */
  errorOf(error: unknown): GrpcError;
}

/** One call from its headers to its trailers. */
export class GrpcCall {
  private readonly reader: MessageReader;
  private message: Buffer | undefined;
  private isEnded = false;
  private stopWatching: (() => void) | undefined;

  constructor(
    private readonly stream: ServerHttp2Stream,
    readonly method: Method,
    private readonly host: CallHost,
    readonly start: CallStart,
  ) {
    this.reader = new MessageReader((message) => decompress(message, start.encoding));
    host.begun(this);
    stream.on('data', (chunk: Buffer) => this.read(chunk));
    // Each comes once: to take listeners off again costs as much as to add them.
    stream.on('end', () => this.readAll());
    stream.on('close', () => {
      this.end();
      host.closed();
    });
  }

  /** Ends the call with a status. What was asked for goes on, and nobody hears of it. */
  fail(error: unknown): void {
    if (this.isEnded) return;
    this.end();
    const { status, message } = this.host.errorOf(error);
    this.host.answered(this, status);
    failStream(this.stream, status, message);
  }

  private read(chunk: Buffer): void {
    if (this.isEnded) return;
    try {
      for (const message of this.reader.push(chunk)) this.take(message);
    } catch (error) {
      this.fail(error);
    }
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
    if (!this.stream.headersSent) this.stream.respond(HEADERS, WITH_TRAILERS);
    this.stream.write(frame);
    if (this.stream.writableLength > MAX_UNREAD_BYTES) {
      throw new GrpcError(STATUS.RESOURCE_EXHAUSTED, 'read the answers before asking for more');
    }
  }

  private readAll(): void {
    if (this.isEnded) return;
    if (this.reader.isMidway) {
      this.fail(new GrpcError(STATUS.INVALID_ARGUMENT, 'the message is cut off'));
      return;
    }
    if (this.method.kind === 'stream') {
      this.answer(undefined);
      return;
    }
    const { message } = this;
    if (message === undefined) {
      this.fail(new GrpcError(STATUS.INVALID_ARGUMENT, 'a call has one request'));
      return;
    }
    this.host.arrived(this);
    if (this.method.kind === 'watch') this.watch(this.method, message);
    else this.handle(this.method, message);
  }

  private watch(method: WatchMethod, message: Buffer): void {
    try {
      this.stopWatching = method.handle(message, (frame) => this.tell(frame));
    } catch (error) {
      this.fail(error);
    }
  }

  /** As `send`, for those who tell many: what is wrong with one of them is not theirs. */
  private tell(frame: Buffer): void {
    try {
      this.send(frame);
    } catch (error) {
      this.fail(error);
    }
  }

  private handle(method: UnaryMethod, message: Buffer): void {
    try {
      const answer = method.handle(message);
      if (Buffer.isBuffer(answer)) this.answer(answer);
      else
        answer.then(
          (frame) => this.answer(frame),
          (error: unknown) => this.fail(error),
        );
    } catch (error) {
      this.fail(error);
    }
  }

  private answer(frame: Buffer | undefined): void {
    if (this.isEnded) return;
    this.end();
    const { stream } = this;
    // The caller may have gone: what was decided stays decided.
    if (stream.destroyed || stream.closed) return;
    if (!stream.headersSent) stream.respond(HEADERS, WITH_TRAILERS);
    stream.on('wantTrailers', () => stream.sendTrailers(OK_TRAILERS));
    stream.end(frame);
    this.host.answered(this, STATUS.OK);
  }

  private end(): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.stopWatching?.();
    this.host.ended(this);
  }
}

/** Ends a stream with a status, in headers alone where none were sent. */
export function failStream(stream: ServerHttp2Stream, status: number, message: string): void {
  if (stream.destroyed || stream.closed) return;
  const trailers: OutgoingHttpHeaders = {
    'grpc-status': String(status),
    'grpc-message': percentEncoded(message),
    ...(status === STATUS.UNIMPLEMENTED ? { 'grpc-accept-encoding': ACCEPTED_ENCODINGS } : {}),
  };
  // What the caller still sends is not worth reading. Not before it is told: a reset overtakes what was not sent yet.
  const stopReading = () => {
    if (!stream.readableEnded) stream.close(constants.NGHTTP2_NO_ERROR);
  };
  stream.resume();
  if (stream.headersSent) {
    stream.once('wantTrailers', () => {
      stream.sendTrailers(trailers);
      setImmediate(stopReading);
    });
    stream.end();
  } else {
    stream.respond({ ...HEADERS, ...trailers }, { endStream: true });
    stopReading();
  }
}

/** As gRPC writes messages of a status: ASCII that may be printed, but for the percent sign, stays. */
function percentEncoded(message: string): string {
  return message.replace(/[^\x20-\x24\x26-\x7e]/gu, (character) =>
    [...Buffer.from(character)]
      .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
      .join(''),
  );
}
