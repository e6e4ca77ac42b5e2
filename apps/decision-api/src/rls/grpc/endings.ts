import { encodeBlock, type Http2Stream, type StreamSink } from '@tollgate/http2';
import { ACCEPTED_ENCODINGS } from './compression.js';
import { type GrpcError, OVERLOADED, STATUS } from './status.js';

type Fields = readonly (readonly [name: string, value: string])[];

const HEAD: Fields = [
  [':status', '200'],
  ['content-type', 'application/grpc'],
];
/** What every answer begins with. */
export const HEAD_BLOCK = encodeBlock(HEAD);
/** What a call that went well ends with. */
export const OK_TRAILERS = encodeBlock([['grpc-status', '0']]);

/** Ends a stream with a status, in its head alone where none was sent. */
export function failStream(stream: Http2Stream, error: GrpcError): void {
  if (stream.hasResponded) stream.end(encodeBlock(trailersOf(error)));
  else stream.respond(encodeBlock([...HEAD, ...trailersOf(error)]), true);
}

const OVERLOADED_BLOCK = encodeBlock([...HEAD, ...trailersOf(OVERLOADED)]);

/** A call that is turned away: of all endings the one that has to cost least, and so once it is whole, when nothing has to be taken back. */
export class TurnedAway implements StreamSink {
  /** @param all those that are not whole yet */
  constructor(
    private readonly stream: Http2Stream,
    private readonly all: Set<TurnedAway>,
  ) {
    all.add(this);
  }

  data(_: Buffer, isLast: boolean): void {
    if (isLast) this.tell();
  }

  closed(): void {
    this.all.delete(this);
  }

  /** Says so now. */
  tell(): void {
    this.stream.respond(OVERLOADED_BLOCK, true);
  }
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
