import { CODE, type CodeName, type RawH2, TYPE } from '@tollgate/http2/testing';
import { expect } from 'vitest';
import { answerOf, call, message } from './calls.js';

/** Expected result of what was sent. */
export type Outcome = (connection: RawH2) => Promise<void>;

/** One rule of a table: title, frames to send, expected result. */
export type Rule = readonly [
  rule: string,
  send: (connection: RawH2) => void | Promise<void>,
  outcome: Outcome,
];

/** Stream id of the next call that checks that a connection is still open: above all others of its test. */
let further = 1_000_001;

function namesOf(code: number): string {
  return Object.entries(CODE).find(([, one]) => one === code)?.[0] ?? `code ${code}`;
}

/** The connection is closed with GOAWAY and one of these codes. */
export function connectionError(...codes: readonly CodeName[]): Outcome {
  return async (connection) => {
    await connection.closed();
    const said = connection.frames.filter(({ type }) => type === TYPE.GOAWAY);
    expect(codes).toContain(namesOf(said.at(-1)?.payload.readUInt32BE(4) ?? -1));
  };
}

/** The connection is closed, with any frames. */
export const closed: Outcome = (connection) => connection.closed();

/** The stream is reset with one of these codes, and the connection stays open. */
export function streamError(stream: number, ...codes: readonly CodeName[]): Outcome {
  return async (connection) => {
    const { payload } = await connection.next((got) => got.type === TYPE.RST_STREAM && got.stream === stream);
    expect(codes).toContain(namesOf(payload.readUInt32BE(0)));
    await goesOn(connection);
  };
}

/** The stream is reset or the connection closed with one of these codes. */
export function anyError(stream: number, ...codes: readonly CodeName[]): Outcome {
  return async (connection) => {
    const isReset = ({ type, stream: id }: { type: number; stream: number }) =>
      type === TYPE.RST_STREAM && id === stream;
    await connection.until(() => connection.frames.some(isReset)).catch(() => undefined);
    const outcome = connection.frames.some(isReset)
      ? streamError(stream, ...codes)
      : connectionError(...codes);
    await outcome(connection);
  };
}

/** A further call of the connection is answered. */
export const goesOn: Outcome = async (connection) => {
  further += 2;
  const stream = further;
  connection.send(call(stream));
  expect(await answerOf(connection, stream)).toMatchObject({
    fields: { ':status': '200', outcome: 'ok' },
    body: message(),
  });
};

/** The call of a stream is answered as `echo` answers `hello`, and the connection stays open. */
export function answered(stream = 1, asked = message()): Outcome {
  return async (connection) => {
    const answer = await answerOf(connection, stream);
    expect(answer.fields).toMatchObject({ ':status': '200', outcome: 'ok' });
    expect(answer.body.equals(asked)).toBe(true);
    await goesOn(connection);
  };
}

/** The call of a stream ends with these fields, and the connection stays open. */
export function endsWith(stream: number, fields: object): Outcome {
  return async (connection) => {
    expect((await answerOf(connection, stream)).fields).toMatchObject(fields);
    await goesOn(connection);
  };
}

/** Either result, where the RFC lets a server choose: the first, unless the connection is closed. */
export function ignoredOr(outcome: Outcome): Outcome {
  return async (connection) => {
    const isIgnored = await goesOn(connection).then(
      () => true,
      () => false,
    );
    if (!isIgnored) await outcome(connection);
  };
}
