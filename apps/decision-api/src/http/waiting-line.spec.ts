import { Admission } from '@tollgate/logging';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { WaitingLine } from './waiting-line.js';

const MAX_WAIT_MS = 100;

describe('requests beyond the limit', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** A line whose limit of one is used, and that has shed a request of each of these connections. */
  function fullLine(...connections: object[]): WaitingLine {
    const line = new WaitingLine(new Admission(1), MAX_WAIT_MS);
    expect(line.enter({})).toBeUndefined();
    for (const connection of connections) expect(line.enter(connection)).toBe('in_flight');
    return line;
  }

  it('sheds the first of a connection at once and admits its next one when a request ends', async () => {
    const connection = {};
    const line = fullLine(connection);
    const next = line.enter(connection);
    expect(next).toBeInstanceOf(Promise);
    line.leave();
    expect(await next).toBeUndefined();
    expect(line.enter({})).toBe('in_flight');
    line.leave();
    expect(line.enter({})).toBeUndefined();
  });

  it('admits connections in the order of their requests, one request each', async () => {
    const connections = [{}, {}, {}];
    const line = fullLine(...connections);
    const admitted: number[] = [];
    const waits = connections.map(async (connection, i) => {
      expect(await line.enter(connection)).toBeUndefined();
      admitted.push(i);
    });
    for (const connection of connections) expect(line.enter(connection)).toBe('in_flight');
    for (const wait of waits) {
      line.leave();
      await wait;
    }
    expect(admitted).toEqual([0, 1, 2]);
  });

  it('sheds a request that has waited for the longest time, not a later one', async () => {
    const [early, late] = [{}, {}];
    const line = fullLine(early, late);
    const first = line.enter(early);
    vi.advanceTimersByTime(MAX_WAIT_MS / 2);
    const second = line.enter(late);
    vi.advanceTimersByTime(MAX_WAIT_MS / 2);
    expect(await first).toBe('in_flight');
    line.leave();
    expect(await second).toBeUndefined();
  });

  it('sheds a connection again after a second, and never twice in a row', async () => {
    const connection = {};
    const line = fullLine(connection);
    for (const [elapsedMs, isShedNext] of [
      [100, false],
      [1000, true],
    ] as const) {
      vi.advanceTimersByTime(elapsedMs);
      const wait = line.enter(connection);
      expect(wait).toBeInstanceOf(Promise);
      line.leave();
      expect(await wait).toBeUndefined();
      const next = line.enter(connection);
      if (isShedNext) expect(next).toBe('in_flight');
      else {
        line.leave();
        expect(await next).toBeUndefined();
      }
    }
  });

  it('sheds every request while the event loop lags, also those that wait', async () => {
    let lagMs = 0;
    const line = new WaitingLine(new Admission(1, { lagMs: () => lagMs, maxMs: 100 }));
    const [one, other] = [{}, {}];
    expect([line.enter({}), line.enter(one), line.enter(other)]).toEqual([
      undefined,
      'in_flight',
      'in_flight',
    ]);
    const waits = Promise.all([line.enter(one), line.enter(other)]);
    lagMs = 101;
    line.leave();
    expect(await waits).toEqual(['event_loop_lag', 'event_loop_lag']);
    expect([line.enter(one), line.enter(one)]).toEqual(['event_loop_lag', 'event_loop_lag']);
    lagMs = 100;
    expect(line.enter(one)).toBeUndefined();
  });
});
