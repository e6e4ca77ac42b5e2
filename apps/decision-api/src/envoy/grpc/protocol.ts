import { gunzipSync, inflateSync } from 'node:zlib';
import { type ProblemCode, TollgateError } from '@tollgate/contracts';
import { Writer } from 'protobufjs/minimal.js';

export const STATUS = {
  OK: 0,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  UNAUTHENTICATED: 16,
} as const;
export type Status = (typeof STATUS)[keyof typeof STATUS];

export const STATUS_NAMES = Object.fromEntries(
  Object.entries(STATUS).map(([name, number]) => [number, name]),
) as Record<Status, string>;

/** A call ends with a status other than OK; `message` is public. */
export class GrpcError extends Error {
  override readonly name = 'GrpcError';

  constructor(
    readonly status: Status,
    message: string,
  ) {
    super(message);
  }
}

/** Status of a shed call. Allocated once, because shedding must be cheap. */
export const OVERLOADED = new GrpcError(
  STATUS.UNAVAILABLE,
  'overloaded: too many requests in flight on this node',
);

const STATUS_OF: Partial<Record<ProblemCode, Status>> = {
  'body-invalid': STATUS.INVALID_ARGUMENT,
  'token-missing': STATUS.UNAUTHENTICATED,
  'token-invalid': STATUS.UNAUTHENTICATED,
  'scope-missing': STATUS.PERMISSION_DENIED,
  'not-ready': STATUS.UNAVAILABLE,
  'counters-unreached': STATUS.UNAVAILABLE,
  'quotas-unrestored': STATUS.UNAVAILABLE,
  'process-missing': STATUS.UNAVAILABLE,
  'tenant-unavailable': STATUS.UNAVAILABLE,
  overloaded: STATUS.UNAVAILABLE,
};

/** Undefined for an unexpected error, whose details are not public. */
export function grpcErrorOf(error: unknown): GrpcError | undefined {
  if (error instanceof GrpcError) return error;
  if (!(error instanceof TollgateError)) return undefined;
  const status = STATUS_OF[error.code];
  if (status === undefined) return undefined;
  const fields = error.errors?.map(({ field, message }) => `${field}: ${message}`).join('; ');
  const detail = fields === undefined || error.message.includes(fields) ? '' : `; ${fields}`;
  return new GrpcError(status, `${error.code}: ${error.message}${detail}`.slice(0, 1000));
}

/** Maximum size of a message without a token, and of a compressed one. */
export const MAX_MESSAGE_BYTES = 64 * 1024;

/**
 * Maximum size of an authorized message. Several descriptors may contain the same header of a client, of 60 kB by Envoy's
 * default, and Envoy passes a request whose message is rejected.
 */
export const MAX_AUTHORIZED_BYTES = 1024 * 1024;

const DECOMPRESS = { gzip: gunzipSync, deflate: inflateSync } as const;

export const ACCEPTED_ENCODINGS = ['identity', ...Object.keys(DECOMPRESS)].join(',');

/**
 * Runs on the main thread: the bounded output takes well below a millisecond.
 * @throws GrpcError `UNIMPLEMENTED` for an unknown encoding, `RESOURCE_EXHAUSTED` for oversized output,
 * `INVALID_ARGUMENT` for corrupt input
 */
export function decompress(message: Buffer, encoding: string | undefined): Buffer {
  if (encoding === undefined || encoding === 'identity') {
    throw new GrpcError(STATUS.INVALID_ARGUMENT, 'compressed message without grpc-encoding');
  }
  if (!isKnown(encoding)) {
    throw new GrpcError(STATUS.UNIMPLEMENTED, `supported encodings: ${ACCEPTED_ENCODINGS}`);
  }
  try {
    return DECOMPRESS[encoding](message, { maxOutputLength: MAX_MESSAGE_BYTES });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') {
      throw new GrpcError(STATUS.RESOURCE_EXHAUSTED, `message exceeds ${MAX_MESSAGE_BYTES} bytes`);
    }
    throw new GrpcError(STATUS.INVALID_ARGUMENT, `the message is not ${encoding}`);
  }
}

function isKnown(encoding: string): encoding is keyof typeof DECOMPRESS {
  return Object.hasOwn(DECOMPRESS, encoding);
}

/** Bytes before each message: compression flag and length. */
const FRAME_HEAD = 5;

/** Buffers bytes until a wanted amount is complete. Joining on every piece would take quadratic time. */
class PendingBytes {
  private parts: Buffer[] = [];
  private bytes = 0;
  private wanted = 1;

  get size(): number {
    return this.bytes;
  }

  /** @returns undefined: not complete yet */
  add(chunk: Buffer): Buffer | undefined {
    if (this.bytes === 0) return chunk;
    this.parts.push(chunk);
    this.bytes += chunk.length;
    if (this.bytes < this.wanted) return undefined;
    const all = Buffer.concat(this.parts, this.bytes);
    this.parts = [];
    this.bytes = 0;
    return all;
  }

  /** @param wanted bytes, including `rest`, that `add` waits for */
  keep(rest: Buffer, wanted: number): void {
    // Copy, because a view would retain the whole received buffer.
    this.parts = [Buffer.from(rest)];
    this.bytes = rest.length;
    this.wanted = wanted;
  }
}

/** Splits the bytes of a stream into messages. Buffers at most one message. */
export class MessageReader {
  private readonly pending = new PendingBytes();

  constructor(
    private readonly encoding: string | undefined,
    private readonly maxBytes = MAX_MESSAGE_BYTES,
  ) {}

  /** Complete messages, decompressed. @throws GrpcError as `decompress`, or for an oversized message */
  push(chunk: Buffer): Buffer[] {
    const messages: Buffer[] = [];
    const bytes = this.pending.add(chunk);
    if (bytes === undefined) return messages;
    let at = 0;
    let wanted = FRAME_HEAD;
    while (bytes.length - at >= FRAME_HEAD) {
      const length = bytes.readUInt32BE(at + 1);
      if (length > this.maxBytes) {
        throw new GrpcError(STATUS.RESOURCE_EXHAUSTED, `message exceeds ${this.maxBytes} bytes`);
      }
      wanted = FRAME_HEAD + length;
      if (bytes.length - at < wanted) break;
      const message = bytes.subarray(at + FRAME_HEAD, at + wanted);
      messages.push(bytes[at] === 0 ? message : decompress(message, this.encoding));
      at += wanted;
      wanted = FRAME_HEAD;
    }
    if (at < bytes.length) this.pending.keep(bytes.subarray(at), wanted);
    return messages;
  }

  get isMidway(): boolean {
    return this.pending.size > 0;
  }
}

export function frameOf(message: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(FRAME_HEAD + message.length);
  frame.set(message, FRAME_HEAD);
  return withFrameHead(frame);
}

function withFrameHead(frame: Buffer): Buffer {
  frame[0] = 0;
  frame.writeUInt32BE(frame.length - FRAME_HEAD, 1);
  return frame;
}

/** @throws GrpcError `INVALID_ARGUMENT` for a malformed message */
export function decodeMessage<Message>(type: { decode(message: Buffer): Message }, message: Buffer): Message {
  try {
    return type.decode(message);
  } catch {
    throw new GrpcError(STATUS.INVALID_ARGUMENT, 'malformed message');
  }
}

const EMPTY_HEAD = Buffer.alloc(FRAME_HEAD);
const NOTHING = new Uint8Array();

// Most responses fit.
Writer.initialBufferSize = 512;

/** @param rest encoded fields that follow those of the message. @returns the message with its frame head */
export function encodeFrame<Message>(
  type: { encode(message: Message, writer: Writer): Writer },
  message: Message,
  rest: Uint8Array = NOTHING,
): Buffer {
  const writer = type.encode(message, Writer.create().raw(EMPTY_HEAD)).raw(rest);
  return withFrameHead(writer.finish() as Buffer);
}
