import { type Fields, HeaderBlock, type ServerStream, type StreamSink } from '@tollgate/http2';
import { ACCEPTED_ENCODINGS } from './compression.js';
import { type GrpcError, OVERLOADED, STATUS } from './status.js';

const HEAD: Fields = [
  [':status', '200'],
  ['content-type', 'application/grpc'],
];
/** What every answer begins with. */
export const HEAD_BLOCK = new HeaderBlock(HEAD);
/** What a call that went well ends with. */
export const OK_TRAILERS = new HeaderBlock([['grpc-status', '0']]);

/** Ends a stream with a status, in its head alone where none was sent. */
export function failStream(stream: ServerStream, error: GrpcError): void {
  if (stream.hasResponded) stream.end(new HeaderBlock(trailersOf(error)));
  else stream.respond(new HeaderBlock([...HEAD, ...trailersOf(error)]), true);
}

const OVERLOADED_BLOCK = new HeaderBlock([...HEAD, ...trailersOf(OVERLOADED)]);

/** A shed call: answered once it is complete, because its stream need not be reset then. */
export class ShedCall implements StreamSink {
  constructor(private readonly stream: ServerStream) {}

  data(_: Buffer, isLast: boolean): void {
    if (isLast) this.expired();
  }

  expired(): void {
    this.stream.respond(OVERLOADED_BLOCK, true);
  }

  closed(): void {}
}

function trailersOf({ status, message }: GrpcError): Fields {
  return [
    ['grpc-status', String(status)],
    ['grpc-message', percentEncoded(message)],
    ...(status === STATUS.UNIMPLEMENTED ? [['grpc-accept-encoding', ACCEPTED_ENCODINGS] as const] : []),
  ];
}

/** As gRPC writes messages of a status: ASCII that may be printed, but for the percent sign, stays. */
function percentEncoded(message: string): string {
  return message.replace(/[^\x20-\x24\x26-\x7e]/gu, (character) =>
    [...Buffer.from(character)]
      .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
      .join(''),
  );
}
