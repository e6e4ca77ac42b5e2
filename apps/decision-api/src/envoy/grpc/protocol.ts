import { gunzipSync, inflateSync } from 'node:zlib';
import { type ProblemCode, TollgateError } from '@tollgate/contracts';
import { PendingBytes } from '@tollgate/http2';
import { WireError } from '../protobuf.js';

/** The status codes of gRPC that this door answers with. */
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

/** How statuses are called, by number. */
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

/** A call is turned away. Made once: to do so has to cost little. */
export const OVERLOADED = new GrpcError(
  STATUS.UNAVAILABLE,
  'overloaded: This node has as many requests in work as it can answer in time',
);

const STATUS_OF: Partial<Record<ProblemCode, Status>> = {
  'body-invalid': STATUS.INVALID_ARGUMENT,
  'dimension-missing': STATUS.INVALID_ARGUMENT,
  'dimension-invalid': STATUS.INVALID_ARGUMENT,
  'api-unknown': STATUS.NOT_FOUND,
  'token-missing': STATUS.UNAUTHENTICATED,
  'token-invalid': STATUS.UNAUTHENTICATED,
  'scope-missing': STATUS.PERMISSION_DENIED,
  'not-ready': STATUS.UNAVAILABLE,
  'counters-unreached': STATUS.UNAVAILABLE,
  'tenant-unavailable': STATUS.UNAVAILABLE,
};

/** How a fault ends a call; undefined: it is one of ours, and nobody's business outside. */
export function grpcErrorOf(error: unknown): GrpcError | undefined {
  if (error instanceof GrpcError) return error;
  if (error instanceof WireError) return new GrpcError(STATUS.INVALID_ARGUMENT, error.message);
  if (!(error instanceof TollgateError)) return undefined;
  const status = STATUS_OF[error.code];
  if (status === undefined) return undefined;
  const fields = error.errors?.map(({ field, message }) => `${field}: ${message}`).join('; ');
  const detail = fields === undefined || error.message.includes(fields) ? '' : `; ${fields}`;
  return new GrpcError(status, `${error.code}: ${error.message}${detail}`.slice(0, 1000));
}

/** The largest message that is read: as the largest body over HTTP. */
export const MAX_MESSAGE_BYTES = 64 * 1024;

const DECOMPRESS = { gzip: gunzipSync, deflate: inflateSync } as const;

/** What a caller may compress by, as `grpc-accept-encoding` says it. */
export const ACCEPTED_ENCODINGS = ['identity', ...Object.keys(DECOMPRESS)].join(',');

/**
 * A compressed message as it was. Not more is inflated than a message may have, so it takes well below a millisecond and needs no
 * thread.
 * @param encoding of the call, `grpc-encoding`
 * @throws GrpcError `UNIMPLEMENTED` for an encoding that there is not, `RESOURCE_EXHAUSTED` for what becomes too large,
 * `INVALID_ARGUMENT` for what is broken
 */
export function decompress(message: Buffer, encoding: string | undefined): Buffer {
  if (encoding === undefined || encoding === 'identity') {
    throw new GrpcError(
      STATUS.INVALID_ARGUMENT,
      'a message is compressed, and grpc-encoding does not say how',
    );
  }
  if (!isKnown(encoding)) {
    throw new GrpcError(STATUS.UNIMPLEMENTED, `messages may be compressed by ${ACCEPTED_ENCODINGS}`);
  }
  try {
    return DECOMPRESS[encoding](message, { maxOutputLength: MAX_MESSAGE_BYTES });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') {
      throw new GrpcError(STATUS.RESOURCE_EXHAUSTED, `a message has ${MAX_MESSAGE_BYTES} bytes at most`);
    }
    throw new GrpcError(STATUS.INVALID_ARGUMENT, `the message is not ${encoding}`);
  }
}

function isKnown(encoding: string): encoding is keyof typeof DECOMPRESS {
  return Object.hasOwn(DECOMPRESS, encoding);
}

/** Bytes before each message: whether it is compressed, and its length. */
export const FRAME_HEAD = 5;

/** Cuts what arrives on a stream into messages. Holds one message at most. */
export class MessageReader {
  private readonly pending = new PendingBytes();

  /** @param encoding how messages of the call are compressed, `grpc-encoding` */
  constructor(private readonly encoding: string | undefined) {}

  /**
   * @returns the messages that are whole now, as they were before they were compressed
   * @throws GrpcError `RESOURCE_EXHAUSTED` for one that is too large; else as `decompress`
   */
  push(chunk: Buffer): Buffer[] {
    const messages: Buffer[] = [];
    const bytes = this.pending.add(chunk);
    if (bytes === undefined) return messages;
    let at = 0;
    let wanted = FRAME_HEAD;
    while (bytes.length - at >= FRAME_HEAD) {
      const length = bytes.readUInt32BE(at + 1);
      if (length > MAX_MESSAGE_BYTES) {
        throw new GrpcError(STATUS.RESOURCE_EXHAUSTED, `a message has ${MAX_MESSAGE_BYTES} bytes at most`);
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

  /** Whether a message was begun that did not end. */
  get isMidway(): boolean {
    return this.pending.size > 0;
  }
}

/** Fills in the head of a message that was written behind room for it. */
export function withFrameHead(frame: Buffer): Buffer {
  frame[0] = 0;
  frame.writeUInt32BE(frame.length - FRAME_HEAD, 1);
  return frame;
}

/** A message with its head. */
export function frameOf(message: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(FRAME_HEAD + message.length);
  frame.set(message, FRAME_HEAD);
  return withFrameHead(frame);
}
