import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { limitOf, windowLimit } from '../../test/limits.js';
import { fixedWindowRecount, type JudgedCharge, NOTHING_FOUND, quotaRecount } from './windows.js';

const MINUTE = 60_000;
const T0 = Date.UTC(2026, 0, 1, 10, 0, 0);

type WindowCharge = JudgedCharge<ReturnType<typeof windowLimit>>;

/** An admission `atMs` after 10:00:00 that took 4 ms, by default in the window of its minute. */
function admitted(atMs: number, over: Partial<WindowCharge> = {}): WindowCharge {
  const policy = over.policy ?? windowLimit({ limit: 3 });
  return {
    limit: policy.name,
    client: '203.0.113.9',
    revision: 1,
    limitMax: policy.limit,
    windowMs: policy.windowMs,
    cost: 1,
    sentMs: T0 + atMs,
    receivedMs: T0 + atMs + 4,
    resetMs: T0 + (Math.floor(atMs / policy.windowMs) + 1) * policy.windowMs,
    policy,
    ...over,
  };
}

const judge = (charges: readonly WindowCharge[]) => fixedWindowRecount.judge(charges, 5);
const CLEAN = { overAdmitted: 0, contradictions: 0, finding: undefined };

describe('recount of a fixed window', () => {
  it('accepts a full window, and another at once after it', () => {
    const times = [59_000, 59_300, 59_900, 60_000, 60_100, 60_200];
    expect(judge(times.map((at) => admitted(at)))).toEqual(CLEAN);
  });

  it('finds one admission too many and names the window', () => {
    const verdict = judge([1000, 2000, 3000, 4000].map((at) => admitted(at)));
    expect(verdict).toMatchObject({ overAdmitted: 1, contradictions: 0 });
    expect(verdict.finding).toBe(
      '4 admitted in the window that ends at 2026-01-01T10:01:00.000Z; the limit is 3',
    );
  });

  it('counts costs, not requests', () => {
    expect(judge([admitted(1000, { cost: 2 }), admitted(2000)])).toEqual(CLEAN);
    expect(judge([admitted(1000, { cost: 2 }), admitted(2000, { cost: 2 })]).overAdmitted).toBe(1);
  });

  it('allows the soft band', () => {
    // 3 and half of it more, rounded down: 4.
    const policy = windowLimit({ limit: 3, throttle: { mode: 'soft', percent: 50 } });
    const charges = [1000, 2000, 3000, 4000].map((at) => admitted(at, { policy }));
    expect(judge(charges)).toEqual(CLEAN);
    expect(judge([...charges, admitted(5000, { policy })]).overAdmitted).toBe(1);
  });

  it('accepts a request across the boundary in either window', () => {
    const boundary = { sentMs: T0 + MINUTE - 2, receivedMs: T0 + MINUTE + 2 };
    expect(judge([admitted(0, { ...boundary, resetMs: T0 + MINUTE })])).toEqual(CLEAN);
    expect(judge([admitted(0, { ...boundary, resetMs: T0 + 2 * MINUTE })])).toEqual(CLEAN);
  });

  it.each([
    ['lies in the middle of a window', T0 + MINUTE + 1],
    ['was over before the request was sent', T0],
    ['begins after the answer', T0 + 2 * MINUTE],
  ])('does not believe a window that %s', (_name, resetMs) => {
    expect(judge([admitted(30_000, { resetMs })]).contradictions).toBe(1);
  });

  it('allows clock differences up to the tolerance', () => {
    const early = admitted(0, { sentMs: T0 - 4, receivedMs: T0 - 3 });
    expect(fixedWindowRecount.judge([early], 5)).toEqual(CLEAN);
    expect(fixedWindowRecount.judge([early], 2).contradictions).toBe(1);
  });

  it('finds overlapping windows among those started by requests', () => {
    const policy = windowLimit({ limit: 3, alignment: 'first_request' });
    const start = (atMs: number) => admitted(atMs, { policy, resetMs: T0 + atMs + MINUTE });
    expect(judge([start(1000), start(61_000), start(130_000)])).toEqual(CLEAN);
    expect(judge([start(1000), start(60_999)]).contradictions).toBe(1);
  });

  it('checks each admission against the limit that decided it and earlier usage', () => {
    const lowered = windowLimit({ limit: 2 });
    const before = [1000, 2000, 3000].map((at) => admitted(at));
    expect(judge(before)).toEqual(CLEAN);
    expect(judge([...before, admitted(4000, { policy: lowered })]).overAdmitted).toBe(1);
    const raised = windowLimit({ limit: 5 });
    const after = [4000, 5000, 6000].map((at) => admitted(at, { policy: raised }));
    expect(judge([...before, ...after.slice(1)])).toEqual(CLEAN);
    expect(judge([...before, ...after]).overAdmitted).toBe(1);
  });

  it('accepts requests in flight while a limit was lowered', () => {
    const lowered = windowLimit({ limit: 1 });
    const together = { sentMs: T0 + 1000, receivedMs: T0 + 1010 };
    const charges = [
      admitted(0, { ...together, policy: lowered }),
      admitted(0, together),
      admitted(0, together),
    ];
    expect(judge(charges)).toEqual(CLEAN);
  });

  it('finds exactly the planted admissions, in any order of the log', () => {
    const limitMax = fc.integer({ min: 1, max: 5 });
    const windows = fc.array(fc.record({ extra: fc.nat(3) }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(limitMax, windows, fc.infiniteStream(fc.double({ noNaN: true })), (limit, plan, noise) => {
        const policy = windowLimit({ limit });
        const charges = plan.flatMap(({ extra }, window) =>
          Array.from({ length: limit + extra }, (_, i) => admitted(window * MINUTE + i * 10, { policy })),
        );
        const shuffled = charges
          .map((charge) => ({ charge, order: noise.next().value }))
          .sort((a, b) => a.order - b.order);
        const planted = plan.reduce((sum, { extra }) => sum + extra, 0);
        expect(judge(shuffled.map(({ charge }) => charge)).overAdmitted).toBe(planted);
      }),
    );
  });
});

const policy = limitOf('quota', { limit: 2, period: 'day' });

/** An admission at an instant, in the period that ends at another. */
function admittedUntil(at: string, resetsAt: string) {
  const sentMs = Date.parse(at);
  const common = { limit: policy.name, client: 'a', revision: 1, limitMax: 2, windowMs: 86_400_000, cost: 1 };
  return { ...common, sentMs, receivedMs: sentMs + 4, resetMs: Date.parse(resetsAt), policy };
}

const judgeQuota = (...charges: ReturnType<typeof admittedUntil>[]) => quotaRecount.judge(charges, 5);

// Berlin, where clocks move back on 25 October 2026: that day has 25 hours.
const SATURDAY = '2026-10-25T00:00:00+02:00';
const SUNDAY = '2026-10-26T00:00:00+01:00';

describe('recount of a quota', () => {
  it('counts each period separately, in any zone and with any length of day', () => {
    const charges = [
      admittedUntil('2026-10-24T23:59:00+02:00', SATURDAY),
      admittedUntil('2026-10-24T23:59:01+02:00', SATURDAY),
      admittedUntil('2026-10-25T00:00:00+02:00', SUNDAY),
      admittedUntil('2026-10-25T02:30:00+01:00', SUNDAY),
    ];
    expect(judgeQuota(...charges)).toEqual(NOTHING_FOUND);
    const verdict = judgeQuota(...charges, admittedUntil('2026-10-25T23:00:00+01:00', SUNDAY));
    expect(verdict).toMatchObject({ overAdmitted: 1, contradictions: 0 });
    expect(verdict.finding).toBe(
      '3 admitted in the window that ends at 2026-10-25T23:00:00.000Z; the limit is 2',
    );
  });

  it.each([
    ['is no midnight anywhere', '2026-10-25T00:01:00+02:00'],
    ['was over before the request was sent', '2026-10-24T00:00:00+02:00'],
    ['is further away than a day is long', '2026-10-26T03:00:00+01:00'],
  ])('reports a period whose end %s', (_title, resetsAt) => {
    expect(judgeQuota(admittedUntil('2026-10-24T12:00:00+02:00', resetsAt)).contradictions).toBe(1);
  });

  it('finds days that overlap: a counter that was forgotten', () => {
    const other = admittedUntil('2026-10-24T12:00:00+02:00', '2026-10-24T12:15:00+02:00');
    expect(judgeQuota(admittedUntil('2026-10-24T12:00:00+02:00', SATURDAY), other).contradictions).toBe(1);
  });
});
