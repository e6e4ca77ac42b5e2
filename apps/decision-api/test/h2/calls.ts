import { block, type Field } from './hpack.js';
import { FLAG, type Frame, frame, type RawH2, TYPE } from './raw-client.js';
import { CALL } from './test-server.js';

const { END_HEADERS, END_STREAM } = FLAG;

/** Header fields of a call. */
export function callFields(path: string = CALL.echo, more: readonly Field[] = []): Field[] {
  return [
    [':method', 'POST'],
    [':scheme', 'http'],
    [':path', path],
    [':authority', 'localhost'],
    ['content-type', 'application/octet-stream'],
    ['te', 'trailers'],
    ...more,
  ];
}

/** HEADERS of these fields, or of a block that is made already, in one piece. */
export function headers(
  stream: number,
  fields: readonly Field[] | Buffer = callFields(),
  flags: number = END_HEADERS,
): Buffer {
  return frame(TYPE.HEADERS, flags, stream, Buffer.isBuffer(fields) ? fields : block(fields));
}

/** DATA; with END_STREAM unless `flags` are given. */
export function data(stream: number, bytes: Buffer = message(), flags: number = END_STREAM): Buffer {
  return frame(TYPE.DATA, flags, stream, bytes);
}

/** A request body. */
export function message(text: string | Buffer = 'hello body'): Buffer {
  return Buffer.from(text);
}

/** A whole call. */
export function call(
  stream: number,
  fields: readonly Field[] | Buffer = callFields(),
  asked = message(),
): Buffer {
  return Buffer.concat([headers(stream, fields), data(stream, asked)]);
}

export interface Answer {
  /** Of headers and trailers. */
  readonly fields: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Instead of an end: the code of a reset. */
  readonly resetBy?: number;
}

/** All that comes on a stream. @throws Error when the connection closes before */
export async function answerOf(connection: RawH2, stream: number): Promise<Answer> {
  const fields: Record<string, string> = {};
  const body: Buffer[] = [];
  const ofAnswer: readonly number[] = [TYPE.DATA, TYPE.HEADERS, TYPE.CONTINUATION, TYPE.RST_STREAM];
  for (;;) {
    const one: Frame = await connection.next((got) => got.stream === stream && ofAnswer.includes(got.type));
    if (one.type === TYPE.RST_STREAM) {
      return { fields, body: Buffer.concat(body), resetBy: one.payload.readUInt32BE(0) };
    }
    if (one.type === TYPE.DATA) body.push(one.payload);
    else for (const [name, value] of one.fields ?? []) fields[name] = value;
    if ((one.flags & END_STREAM) !== 0) return { fields, body: Buffer.concat(body) };
  }
}
