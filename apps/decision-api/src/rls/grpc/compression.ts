import { gunzipSync, inflateSync } from 'node:zlib';
import { GrpcError, STATUS } from './status.js';

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
