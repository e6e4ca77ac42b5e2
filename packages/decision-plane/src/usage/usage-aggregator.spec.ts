import type { LimitCrossing, Offender, Outcome, UsageFrame } from '@tollgate/contracts';
import { usageFrameSchema } from '@tollgate/contracts';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { UsageAggregator, UsageRows } from './usage-aggregator.js';

const MINUTE = 30_000_000;
const MINUTE_US = 60_000_000;
const NOW_US = MINUTE * MINUTE_US;

const crossing = (id: string): LimitCrossing => ({
  id,
  tenant: 'acme',
  api: 'shop',
  limit: 'minute',
  counter: '{acme}:k',
  percent: 80,
  used: 8,
  capacity: 10,
  atMs: NOW_US / 1000,
});

function aggregatorOf(offenders: Offender[] = []) {
  const written: UsageFrame[] = [];
  const state = { isAway: false, errors: 0 };
  const usage = new UsageAggregator({
    nodeId: 'n1',
    epoch: 'e1',
    write: async (frame) => {
      if (state.isAway) throw new Error('away');
      written.push(frame);
    },
    takeOffenders: (max) => offenders.splice(0, max),
    takePeaks: () => [],
    onError: () => state.errors++,
  });
  return { usage, written, state };
}

describe('keys in use', () => {
  it('are reported with the next frame, each once a minute', async () => {
    const { usage, written } = aggregatorOf();
    const nowMs = NOW_US / 1000;
    for (const [publicId, atMs] of [
      ['a', nowMs],
      ['a', nowMs + 59_999],
      ['b', nowMs + 1],
    ] as const) {
      usage.addKeyUse(publicId, atMs);
    }
    await usage.flush();
    usage.addKeyUse('a', nowMs + 60_000);
    await usage.flush();
    await usage.flush();
    expect(written.map(({ keys }) => keys)).toEqual([
      [
        { publicId: 'a', atMs: nowMs },
        { publicId: 'b', atMs: nowMs + 1 },
      ],
      [{ publicId: 'a', atMs: nowMs + 60_000 }],
    ]);
    for (const frame of written) usageFrameSchema.parse(frame);
  });

  it('are reported with a later frame if there are too many', async () => {
    const { usage, written } = aggregatorOf();
    const addKeyUses = () => Array.from({ length: 5001 }, (_, n) => usage.addKeyUse(`k${n}`, NOW_US / 1000));
    addKeyUses();
    await usage.flush();
    addKeyUses();
    await usage.flush();
    expect(written.map(({ keys }) => keys?.length)).toEqual([5000, 1]);
  });
});

describe('UsageRows', () => {
  const names = { tenant: 'acme', api: 'shop', operation: 'buy', limit: 'minute' };
  const tallyOf = (rows: UsageRows, tenant: string) => rows.tally(tenant, 'shop', 'buy', 'minute');

  it('sums decisions and costs by names, outcome and minute', () => {
    const rows = new UsageRows();
    tallyOf(rows, 'acme').record('allowed', 5, NOW_US);
    tallyOf(rows, 'acme').record('denied', 0, NOW_US + 1);
    tallyOf(rows, 'acme').record('allowed', 7, NOW_US + MINUTE_US - 1);
    tallyOf(rows, 'acme').record('allowed', 1, NOW_US + MINUTE_US);
    rows.tally('acme', 'shop', 'buy', null).record('no_limit', 1, NOW_US);
    expect(rows.take()).toEqual([
      { ...names, outcome: 'allowed', minute: MINUTE, count: 2, units: 12 },
      { ...names, outcome: 'denied', minute: MINUTE, count: 1, units: 0 },
      { ...names, outcome: 'allowed', minute: MINUTE + 1, count: 1, units: 1 },
      { ...names, limit: null, outcome: 'no_limit', minute: MINUTE, count: 1, units: 1 },
    ]);
    expect(rows.take()).toEqual([]);
  });

  it('keeps counting on a kept tally in every frame', () => {
    const rows = new UsageRows();
    const tally = tallyOf(rows, 'acme');
    for (const frame of [1, 2]) {
      tally.record('allowed', frame, NOW_US);
      expect(rows.take()).toEqual([{ ...names, outcome: 'allowed', minute: MINUTE, count: 1, units: frame }]);
    }
  });

  it('does not multiply rows for clocks that differ at the turn of a minute', () => {
    const rows = new UsageRows();
    for (let i = 0; i < 100; i++) tallyOf(rows, 'acme').record('allowed', 1, NOW_US - (i % 2));
    expect(rows.take().map(({ count }) => count)).toEqual([100]);
    for (let i = 0; i < 100; i++) tallyOf(rows, 'acme').record('allowed', 1, NOW_US - 1 + (i % 2));
    expect(rows.take().map(({ count }) => count)).toEqual([1, 99]);
  });

  it('loses no decision and bounds the rows, with a row for all others', () => {
    const outcomes = fc.constantFrom<Outcome>('allowed', 'denied', 'over_limit', 'degraded_denied');
    const decision = fc.tuple(fc.nat(30), outcomes, fc.nat(9), fc.nat(200_000_000));
    fc.assert(
      fc.property(
        fc.array(decision, { maxLength: 400 }),
        fc.integer({ min: 1, max: 20 }),
        (decisions, maxRows) => {
          const rows = new UsageRows(maxRows);
          for (const [tenant, outcome, cost, afterUs] of decisions) {
            tallyOf(rows, `t${tenant}`).record(outcome, cost, NOW_US + afterUs);
          }
          const taken = rows.take();
          const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);
          expect(sum(taken.map(({ count }) => count))).toBe(decisions.length);
          expect(sum(taken.map(({ units }) => units))).toBe(sum(decisions.map(([, , cost]) => cost)));
          expect(taken.filter(({ tenant }) => tenant !== '*').length).toBeLessThanOrEqual(maxRows);
          for (const { count } of taken) expect(count).toBeGreaterThan(0);
        },
      ),
    );
  });

  it('counts candidates beside decisions, also where another limit decided', () => {
    const rows = new UsageRows();
    const tally = tallyOf(rows, 'acme');
    tally.record('allowed', 5, NOW_US);
    tally.recordCandidate('allowed', false, 5, NOW_US);
    tally.recordCandidate('allowed', true, 2, NOW_US);
    tally.recordCandidate('denied', true, 3, NOW_US);
    const allowed = { candidateCount: 2, candidateDenied: 1, candidateDeniedUnits: 2 };
    const denied = { candidateCount: 1, candidateDenied: 1, candidateDeniedUnits: 3 };
    const frame = { nodeId: 'n1', epoch: 'e1', sequence: 1, atMs: 1, rows: rows.take() };
    expect(frame.rows).toEqual([
      { ...names, outcome: 'allowed', minute: MINUTE, count: 1, units: 5, ...allowed },
      { ...names, outcome: 'denied', minute: MINUTE, count: 0, units: 0, ...denied },
    ]);
    expect(usageFrameSchema.parse(frame)).toEqual(frame);
    expect(rows.take()).toEqual([]);
  });

  it('bounds the rows of candidates, and does not attribute them to other limits', () => {
    const rows = new UsageRows(1);
    tallyOf(rows, 'acme').record('allowed', 1, NOW_US);
    tallyOf(rows, 'acme').recordCandidate('allowed', true, 1, NOW_US);
    tallyOf(rows, 'globex').recordCandidate('allowed', true, 1, NOW_US);
    expect(rows.take()).toEqual([
      {
        ...{ ...names, outcome: 'allowed', minute: MINUTE, count: 1, units: 1 },
        ...{ candidateCount: 1, candidateDenied: 1, candidateDeniedUnits: 1 },
      },
    ]);
  });

  it('keeps tallies in use when there are too many names', () => {
    const rows = new UsageRows(100_000);
    const first = tallyOf(rows, 'acme');
    for (let i = 0; i < 45_000; i++) {
      rows.tally('endless', 'shop', `operation-${i}`, null).record('no_limit', 1, NOW_US);
      if (i % 1000 === 0) expect(tallyOf(rows, 'acme')).toBe(first);
    }
    expect(rows.tally('endless', 'shop', 'operation-44999', null)).toBe(
      rows.tally('endless', 'shop', 'operation-44999', null),
    );
    const made = rows.tally('endless', 'shop', 'operation-0', null);
    made.record('no_limit', 1, NOW_US);
    const taken = rows.take();
    expect(taken).toHaveLength(45_001);
    expect(taken.filter(({ operation }) => operation === 'operation-0')).toHaveLength(2);
  });
});

describe('UsageAggregator', () => {
  const record = (usage: UsageAggregator) =>
    usage.tally('acme', 'shop', 'buy', 'minute').record('allowed', 1, NOW_US);

  it('writes consecutively numbered frames, and none without content', async () => {
    const offender = {
      tenant: 'acme',
      api: 'shop',
      limit: 'minute',
      counter: '{acme}:k',
      units: 3,
      error: 0,
    };
    const { usage, written } = aggregatorOf([offender]);
    record(usage);
    usage.addCrossings([crossing('a')]);
    await usage.flush();
    await usage.flush();
    record(usage);
    await usage.close();
    expect(written.map(({ sequence }) => sequence)).toEqual([1, 2]);
    expect(written[0]).toMatchObject({
      nodeId: 'n1',
      epoch: 'e1',
      crossings: [crossing('a')],
      offenders: [offender],
    });
    expect(written[1]).not.toHaveProperty('crossings');
    for (const frame of written) expect(usageFrameSchema.parse(frame)).toEqual(frame);
  });

  it('reports crossings without other content, and the number of dropped ones', async () => {
    const { usage, written } = aggregatorOf();
    usage.addCrossings(Array.from({ length: 5003 }, (_, i) => crossing(`${i}`)));
    await usage.flush();
    expect(written[0]?.crossings).toHaveLength(5000);
    expect(written[0]?.crossingsDropped).toBe(3);
    usage.addCrossings([crossing('next')]);
    await usage.flush();
    expect(written[1]?.crossings).toHaveLength(1);
    expect(written[1]).not.toHaveProperty('crossingsDropped');
  });

  /** Flushes once a second while Redis is unavailable, with a decision each time. */
  const flushAway = async (seconds: number) => {
    const { usage, written, state } = aggregatorOf();
    state.isAway = true;
    const clock = vi.spyOn(Date, 'now');
    for (let i = 0; i < seconds; i++) {
      clock.mockReturnValue(NOW_US / 1000 + i * 1000);
      usage.tally('acme', 'shop', 'buy', null).record('allowed', 2, NOW_US + i * 1_000_000);
      await usage.flush();
    }
    clock.mockRestore();
    expect(state.errors).toBe(seconds);
    state.isAway = false;
    await usage.flush();
    const rows = written.flatMap((frame) => frame.rows);
    const inMinute = Map.groupBy(rows, ({ minute }) => minute - MINUTE);
    return {
      sequences: written.map(({ sequence }) => sequence),
      counts: [...inMinute.values()].map((some) => some.reduce((sum, { count }) => sum + count, 0)),
      dropped: usage.framesDropped,
    };
  };

  it('loses no decision while Redis is full for 90 s, and numbers frames without gaps', async () => {
    const { sequences, counts, dropped } = await flushAway(90);
    expect(counts).toEqual([60, 30]);
    expect(dropped).toBe(0);
    expect(sequences).toEqual(sequences.map((_, i) => i + 1));
  });

  it('drops the oldest minutes after an hour, which leaves gaps in the numbers', async () => {
    const { sequences, counts, dropped } = await flushAway(62 * 60);
    // The first second was attempted: its write may have succeeded.
    expect(counts).toEqual([1, ...new Array<number>(counts.length - 1).fill(60)]);
    expect(counts.length + dropped).toBeGreaterThanOrEqual(62);
    expect((sequences.at(-1) ?? 0) - sequences.length).toBe(dropped);
  });

  it('sends a frame whose write failed again unchanged', async () => {
    const attempts: UsageFrame[] = [];
    const usage = new UsageAggregator({
      nodeId: 'n1',
      epoch: 'e1',
      write: (frame) => {
        attempts.push(frame);
        return Promise.reject(new Error('away'));
      },
      takeOffenders: () => [],
      takePeaks: () => [],
      onError: () => undefined,
    });
    for (let i = 0; i < 70; i++) {
      record(usage);
      await usage.flush();
    }
    expect(new Set(attempts)).toEqual(new Set([attempts[0]]));
  });
});
