import type { LimitAnswer, LimitRequest } from '@tollgate/contracts';
import { decodeBlock, encodeBlock, TRAFFIC_FLAGS, type TrafficBlock } from '@tollgate/replay';
import { describe, expect, it } from 'vitest';
import { recordingTraffic } from '../../test/recorded-traffic.js';
import { uncountedAnswer } from '../decide/limit-answer.js';
import type { RecorderOptions, TrafficRecorder } from './traffic-recorder.js';

const REQUEST: LimitRequest = { tenant: 'acme', api: 'site', operation: 'home', subject: { user: 'u1' } };
const ANSWER: LimitAnswer = uncountedAnswer(
  { success: true, reason: 'NO_LIMIT', cost: 1 },
  { revision: 4, requestId: 'r1' },
);

function recorderWith(options: Partial<RecorderOptions>) {
  return recordingTraffic('n1', { maxBlockRows: 10, ...options });
}

function record(recorder: TrafficRecorder, count: number): void {
  for (let n = 0; n < count; n++) recorder.record(REQUEST, ANSWER, 'no_limit', 1_000_000 + n);
}

const rowsIn = (blocks: readonly TrafficBlock[]) => blocks.reduce((sum, { rows }) => sum + rows, 0);
const droppedIn = (blocks: readonly TrafficBlock[]) => blocks.reduce((sum, block) => sum + block.dropped, 0);

/** Length of a block of ten decisions. */
async function blockBytes(): Promise<number> {
  const { traffic, blocks } = recorderWith({});
  record(traffic, 10);
  return encodeBlock((await blocks())[0] as TrafficBlock).length;
}

describe('traffic recorder', () => {
  it('writes nothing without decisions', async () => {
    expect(await recorderWith({}).blocks()).toEqual([]);
  });

  it('records times, cost, binding limit, revision and flags', async () => {
    const { traffic, blocks } = recorderWith({});
    traffic.record(
      { ...REQUEST, cost: 3 },
      { ...ANSWER, cost: 3, policy: 'daily' },
      'denied',
      5.5,
      TRAFFIC_FLAGS.leased,
    );
    expect((await blocks())[0]).toMatchObject({
      node: 'n1',
      epoch: 'e1',
      sequence: 1,
      atUs: Float64Array.of(5),
      cost: Uint32Array.of(3),
      subjects: [{ tenant: 'acme', values: [['user', '=u1']] }],
      verdicts: [
        {
          outcome: 'denied',
          limit: 'daily',
          revision: 4,
          flags: TRAFFIC_FLAGS.leased + TRAFFIC_FLAGS.ownCost,
        },
      ],
    });
  });

  it('numbers its blocks and begins a new one after the maximum of rows', async () => {
    const { traffic, blocks } = recorderWith({});
    record(traffic, 25);
    expect((await blocks()).map(({ sequence, rows }) => [sequence, rows])).toEqual([
      [1, 10],
      [2, 10],
      [3, 5],
    ]);
  });

  it('begins a new block when dictionaries use too much memory', async () => {
    const { traffic, blocks } = recorderWith({ maxBlockRows: 1000, maxBlockBytes: 500 });
    for (let n = 0; n < 100; n++) {
      traffic.record({ ...REQUEST, subject: { user: String(n).padStart(1000) } }, ANSWER, 'no_limit', n);
    }
    expect((await blocks()).length).toBeGreaterThan(10);
  });

  it('drops the oldest blocks without space, and counts their decisions in the next block', async () => {
    const { traffic, blocks } = recorderWith({ maxWaitingBytes: 2 * (await blockBytes()) + 10 });
    record(traffic, 60);
    const written = await blocks();
    expect(written.map(({ sequence, dropped }) => [sequence, dropped])).toEqual([
      [5, 40],
      [6, 0],
    ]);
    expect(traffic.decisionsDropped).toBe(40);
  });

  it('writes a block again after a failure, and never drops the one that is being written', async () => {
    const written: TrafficBlock[] = [];
    const errors: string[] = [];
    let write: (bytes: Buffer) => Promise<void> = () => Promise.reject(new Error('no connection'));
    const { traffic } = recorderWith({
      maxWaitingBytes: 2 * (await blockBytes()) + 10,
      write: (bytes) => write(bytes),
      onError: (message) => errors.push(message),
    });
    record(traffic, 20);
    await traffic.flush();
    expect(errors).toEqual(['cannot write recorded traffic']);
    const finish = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    write = async (bytes) => {
      begun.resolve();
      await finish.promise;
      written.push(decodeBlock(bytes));
    };
    const flushed = traffic.flush();
    await begun.promise;
    record(traffic, 40);
    finish.resolve();
    await flushed;
    await traffic.close();
    expect(written[0]).toMatchObject({ sequence: 1, dropped: 0 });
    expect(rowsIn(written) + droppedIn(written)).toBe(60);
    expect(droppedIn(written)).toBe(traffic.decisionsDropped);
    expect(written.at(-1)?.sequence).toBe(6);
  });
});
