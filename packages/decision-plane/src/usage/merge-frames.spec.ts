import { type UsageRow, usageFrameSchema } from '@tollgate/contracts';
import { expect, it } from 'vitest';
import { mergeFrames, type UnsentFrame } from './merge-frames.js';

const MINUTE_MS = 60_000;
const AT_MS = 30_000_000 * MINUTE_MS;
const row = (over: Partial<UsageRow> = {}): UsageRow => ({
  tenant: 'acme',
  api: 'shop',
  operation: 'buy',
  limit: 'minute',
  outcome: 'allowed',
  minute: 30_000_000,
  count: 1,
  units: 2,
  ...over,
});
const peak = { tenant: 'acme', api: 'shop', limit: 'minute', capacity: 10, denied: 1, atMs: AT_MS };
const frame = (over: Partial<UnsentFrame> = {}): UnsentFrame => ({
  nodeId: 'n1',
  epoch: 'e1',
  atMs: AT_MS,
  rows: [row()],
  ...over,
});

it('adds rows with the same names, outcome and minute', () => {
  const other = row({ outcome: 'denied', candidateCount: 3 });
  const merged = mergeFrames(
    frame({ rows: [row(), other] }),
    frame({ atMs: AT_MS + 1000, rows: [row({ candidateCount: 2, candidateDenied: 1 }), other] }),
  );
  expect(merged).toEqual(
    frame({
      atMs: AT_MS + 1000,
      rows: [
        row({ count: 2, units: 4, candidateCount: 2, candidateDenied: 1 }),
        { ...other, count: 2, units: 4, candidateCount: 6 },
      ],
    }),
  );
});

it('keeps the highest peak of a limit, the newest of a quota, and all other entries', () => {
  const durations = new Array<number>(13).fill(1);
  const offender = { tenant: 'acme', api: 'shop', limit: 'minute', counter: '{acme}:k', units: 1, error: 0 };
  const quota = { ...peak, limit: 'month', periodEndMs: AT_MS + 1 };
  const merged = mergeFrames(
    frame({
      peaks: [
        { ...peak, used: 9 },
        { ...quota, used: 7 },
      ],
      durations,
      offenders: [offender],
    }),
    frame({
      peaks: [
        { ...peak, used: 3 },
        { ...quota, used: 5 },
      ],
      durations,
      offenders: [offender],
      keys: [{ publicId: 'k1', atMs: AT_MS }],
      crossingsDropped: 2,
    }),
  );
  expect(merged).toEqual(
    frame({
      rows: [row({ count: 2, units: 4 })],
      peaks: [
        { ...peak, used: 9, denied: 2 },
        { ...quota, used: 5, denied: 2 },
      ],
      durations: durations.map((requests) => 2 * requests),
      offenders: [offender, offender],
      keys: [{ publicId: 'k1', atMs: AT_MS }],
      crossingsDropped: 2,
    }),
  );
  expect(usageFrameSchema.parse({ ...merged, sequence: 1 })).toMatchObject({ sequence: 1 });
});

it('merges neither frames of different minutes nor large ones', () => {
  expect(mergeFrames(frame(), frame({ atMs: AT_MS + MINUTE_MS }))).toBeUndefined();
  const rows = Array.from({ length: 5001 }, (_, i) => row({ tenant: `t${i}` }));
  expect(mergeFrames(frame({ rows }), frame({ rows }))).toBeUndefined();
});
