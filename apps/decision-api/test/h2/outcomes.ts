import { expect } from 'vitest';
import { answerOf, call, message } from './calls.js';
import type { RawH2 } from './raw-client.js';

/** Stream id of the next call that checks that a connection is still open: above all others of its test. */
let further = 1_000_001;

/** A further call of the connection is answered. */
export async function goesOn(connection: RawH2): Promise<void> {
  further += 2;
  const stream = further;
  connection.send(call(stream));
  expect(await answerOf(connection, stream)).toMatchObject({
    fields: { ':status': '200', outcome: 'ok' },
    body: message(),
  });
}
