import type { LimitAnswer, LimitRequest } from '@tollgate/contracts';
import { describe, expect, it } from 'vitest';
import { uncountedAnswer } from '../decide/limit-answer.js';
import { TRAFFIC_FLAGS } from './block.js';
import { decodeBlock } from './block-codec.js';
import { TrafficRecorder } from './recorder.js';

const REQUEST: LimitRequest = { tenant: 'acme', api: 'site', operation: 'home', subject: { user: 'u1' } };
const ANSWER: LimitAnswer = uncountedAnswer(
  { success: true, reason: 'NO_LIMIT', cost: 1 },
  { revision: 4, requestId: 'r1' },
);

function recorderWith(options: {
  maxBlockRows?: number;
  maxWaitingBytes?: number;
  maxBuilderBytes?: number;
}) {
  return new TrafficRecorder({ nodeId: 'n1', epoch: 'e1', ...options });
}

function record(recorder: TrafficRecorder, count: number): void {
  for (let n = 0; n < count; n++) recorder.record(REQUEST, ANSWER, 'no_limit', 1_000_000 + n);
}

describe('traffic recorder', () => {
  it('returns nothing without decisions', () => {
    expect(recorderWith({}).take()).toEqual([]);
  });

  it('records times, cost, binding limit, revision and flags', () => {
    const recorder = recorderWith({});
    recorder.record(
      { ...REQUEST, cost: 3 },
      { ...ANSWER, cost: 3, policy: 'daily' },
      'denied',
      5.5,
      TRAFFIC_FLAGS.leased,
    );
    const [block] = recorder.take().map((bytes) => decodeBlock(bytes));
    expect(block).toMatchObject({
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

  it('numbers its blocks and begins a new one after the maximum of rows', () => {
    const recorder = recorderWith({ maxBlockRows: 10 });
    record(recorder, 25);
    const blocks = recorder.take().map((bytes) => decodeBlock(bytes));
    expect(blocks.map(({ sequence, rows }) => [sequence, rows])).toEqual([
      [1, 10],
      [2, 10],
      [3, 5],
    ]);
  });

  it('begins a new block when dictionaries use too much memory', () => {
    const recorder = recorderWith({ maxBuilderBytes: 10_000 });
    for (let n = 0; n < 100; n++) {
      recorder.record({ ...REQUEST, subject: { user: String(n).padStart(1000) } }, ANSWER, 'no_limit', n);
    }
    expect(recorder.take().length).toBeGreaterThan(10);
  });

  it('drops the oldest blocks without space, and counts their decisions in the next block', () => {
    const one = recorderWith({ maxBlockRows: 10 });
    record(one, 10);
    const blockBytes = one.take()[0]?.length ?? 0;
    const recorder = recorderWith({ maxBlockRows: 10, maxWaitingBytes: 2 * blockBytes + 10 });
    record(recorder, 60);
    const blocks = recorder.take().map((bytes) => decodeBlock(bytes));
    const recorded = blocks.reduce((sum, { rows }) => sum + rows, 0);
    expect(blocks.map(({ sequence }) => sequence)).toEqual([5, 6]);
    expect(recorded + blocks.reduce((sum, { dropped }) => sum + dropped, 0)).toBeLessThanOrEqual(60);
    record(recorder, 1);
    const [next] = recorder.take().map((bytes) => decodeBlock(bytes));
    const dropped = [...blocks, ...(next ? [next] : [])].reduce((sum, block) => sum + block.dropped, 0);
    expect(recorded + dropped).toBe(60);
  });
});
