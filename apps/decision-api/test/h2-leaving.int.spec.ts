import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { answerOf, call, callFields, data, headers } from './h2/calls.js';
import { type Frame, type RawH2, TYPE } from './h2/raw-client.js';
import { CALL, TestServer } from './h2/test-server.js';

const isGoaway = ({ type }: Frame) => type === TYPE.GOAWAY;

/** Acknowledges the pings of a closing server, as every client does. */
function answerPings(connection: RawH2): void {
  void (async () => {
    for (;;) {
      const { payload } = await connection.next(({ type, flags }) => type === TYPE.PING && flags === 0);
      connection.send(Buffer.concat([Buffer.from([0, 0, 8, TYPE.PING, 1, 0, 0, 0, 0]), payload]));
    }
  })().catch(() => undefined);
}

describe('a server that leaves', () => {
  const started = async () => {
    const h2 = new TestServer();
    await h2.start();
    return h2;
  };

  it('sends GOAWAY, answers open calls and closes the connection without an error', async () => {
    const h2 = await started();
    const connection = await h2.connect();
    answerPings(connection);
    connection.send(call(1, callFields(CALL.hold)), headers(3, callFields()));
    await connection.settled();
    const left = h2.server.close(60_000);
    const { payload } = await connection.next(isGoaway);
    expect(payload.readUInt32BE(0)).toBeGreaterThanOrEqual(3);
    expect(payload.readUInt32BE(4)).toBe(0);
    connection.send(data(3));
    expect((await answerOf(connection, 3)).fields).toMatchObject({ outcome: 'ok' });
    expect(connection.isClosed).toBe(false);
    h2.release();
    expect((await answerOf(connection, 1)).fields).toMatchObject({ outcome: 'ok' });
    await connection.closed();
    await left;
    const last = connection.frames.filter(isGoaway).at(-1)?.payload ?? payload;
    expect(last.readUInt32BE(4)).toBe(0);
  });

  it('answers or rejects calls in flight and reports which', async () => {
    const h2 = await started();
    const connection = await h2.connect();
    answerPings(connection);
    connection.send(call(1, callFields(CALL.hold)));
    await connection.settled();
    const left = h2.server.close(60_000);
    connection.send(call(3));
    h2.release();
    const ended = await answerOf(connection, 3).catch(() => undefined);
    await connection.closed();
    await left;
    const last = connection.frames.filter(isGoaway).at(-1)?.payload.readUInt32BE(0) ?? 0;
    if (ended?.resetBy !== undefined) expect(ended.resetBy).toBe(7);
    else if (ended !== undefined) expect(ended.fields).toMatchObject({ outcome: 'ok' });
    // Calls without a response are above the last stream of the final GOAWAY.
    else expect(last).toBeLessThan(3);
  });

  it('closes connections without requests', async () => {
    const h2 = await started();
    const connection = await h2.connect();
    answerPings(connection);
    const left = h2.server.close(60_000);
    await connection.closed();
    await left;
    expect(connection.frames.some(isGoaway)).toBe(true);
  });

  it('closes connections that do not respond in time', async () => {
    const h2 = await started();
    const silent = connect(h2.port, '127.0.0.1');
    await once(silent, 'connect');
    const connection = await h2.connect();
    connection.send(call(1, callFields(CALL.hold)));
    await connection.settled();
    const left = h2.server.close(50);
    silent.resume().on('error', () => undefined);
    await Promise.all([connection.closed(), once(silent, 'close'), left]);
  });

  it('accepts no further connections', async () => {
    const h2 = await started();
    const { port } = h2;
    await h2.stop();
    const socket = connect(port, '127.0.0.1');
    const [error] = await once(socket, 'error');
    expect(error).toMatchObject({ code: 'ECONNREFUSED' });
  });
});
