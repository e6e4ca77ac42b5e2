import type { ServerStream, StreamSink } from '@tollgate/http2';
import { failStream, HEAD_BLOCK, OK_TRAILERS } from './endings.js';
import { MessageReader } from './framing.js';
import type { Method, UnaryMethod, WatchMethod } from './method.js';
import { GrpcError, STATUS, type Status } from './status.js';

/** Responses of one call that wait for the caller. */
const MAX_UNREAD_BYTES = 256 * 1024;

/** What a call came with. */
export interface CallStart {
  /** By `performance.now()`. */
  readonly beganMs: number;
  /** How its messages may be compressed. */
  readonly encoding: string | undefined;
}

/** Counts calls in work, and maps faults to statuses. */
export interface CallHost {
  /** A call of `Watch` has its request: from now on it ends only when somebody ends it. */
  watching(call: GrpcCall): void;
  /** A call has its status, though the peer may not have taken it yet. */
  ended(call: GrpcCall): void;
  /** A call was answered, by a status. */
  answered(call: GrpcCall, status: Status): void;
  /** The status that a fault ends a call with; logs what is not the caller's. */
  errorOf(error: unknown): GrpcError;
}

/** One call from its headers to its trailers. */
export class GrpcCall implements StreamSink {
  private readonly reader: MessageReader;
  private message: Buffer | undefined;
  private isEnded = false;
  private stopWatching: (() => void) | undefined;

  constructor(
    private readonly stream: ServerStream,
    readonly method: Method,
    private readonly host: CallHost,
    readonly start: CallStart,
  ) {
    this.reader = new MessageReader(start.encoding);
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
    this.end();
  }

  /** Ends the call with a status. What was asked for goes on, and nobody hears of it. */
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
    this.stream.respond(HEAD_BLOCK);
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
    this.stopWatching = method.handle(message, (frame) => this.tell(frame));
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
    const answer = method.handle(message);
    if (Buffer.isBuffer(answer)) this.answer(answer);
    else
      answer.then(
        (frame) => this.answer(frame),
        (error: unknown) => this.fail(error),
      );
  }

  /** What was decided stays decided, though its caller may have gone. */
  private answer(frame: Buffer | undefined): void {
    if (this.isEnded) return;
    this.end();
    if (frame === undefined) {
      this.stream.respond(HEAD_BLOCK);
      this.stream.end(OK_TRAILERS);
    } else this.stream.answer(HEAD_BLOCK, frame, OK_TRAILERS);
    this.host.answered(this, STATUS.OK);
  }

  private end(): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.stopWatching?.();
    this.host.ended(this);
  }
}
