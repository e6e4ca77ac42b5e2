import type { LimitPolicy } from '@tollgate/contracts';
import { describe, expect, it } from 'vitest';
import { fixedWindowPolicy, gcraPolicy, policyBy } from '../../limiter/test/policies.js';
import { TEN_MS, useTimedCallers } from '../../limiter/test/timed-requests.js';

const SECOND_MS = 1000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

const log = (limit: number, windowMs: number) =>
  policyBy({ algorithm: 'sliding_window_log', limit, windowMs });
const counter = (limit: number, windowMs: number, buckets: number) =>
  policyBy({ algorithm: 'sliding_window_counter', limit, windowMs, buckets });

// The published examples that this product follows. Here: those with exact times, decided by scripts and models.
// Examples with several servers and callers: worked-examples-on-nodes.int.spec.ts.
describe('worked examples at exact times', () => {
  const caller = useTimedCallers();
  const allowed = (decided: { allowed: boolean }[]) => decided.map((one) => one.allowed);

  it('of three requests at the end of a minute and three at the start of the next, a fixed window allows six, a sliding one three', async () => {
    const sixOf = async (policy: LimitPolicy) => {
      const kristie = caller(policy);
      return (await kristie.passed(59_500, 3)) + (await kristie.passed(60_500, 3));
    };
    expect(await sixOf(fixedWindowPolicy({ limit: 3 }))).toBe(6);
    expect(await sixOf(log(3, MINUTE_MS))).toBe(3);
    expect(await sixOf(counter(3, MINUTE_MS, 60))).toBe(3);
  });

  it('two a second: fixed windows deny only m5, rolling ones m3 and m4', async () => {
    const arrivalsMs = [300, 400, 1100, 1200, 1700];
    const messages = async (policy: LimitPolicy) => {
      const sender = caller(policy);
      const passed: boolean[] = [];
      for (const atMs of arrivalsMs) passed.push(...allowed(await sender.ask(atMs)));
      return passed;
    };
    expect(await messages(fixedWindowPolicy({ limit: 2, windowMs: SECOND_MS }))).toEqual([
      true,
      true,
      true,
      true,
      false,
    ]);
    expect(await messages(log(2, SECOND_MS))).toEqual([true, true, false, false, true]);
  });

  it('two a second, at the 300th and the 400th millisecond: they count up to the 300th and the 400th of the next', async () => {
    const sender = caller(log(2, SECOND_MS));
    expect(await sender.passed(300, 1)).toBe(1);
    expect(await sender.passed(400, 1)).toBe(1);
    expect(await sender.passed(1299.999, 1)).toBe(0);
    expect(await sender.passed(1300, 2)).toBe(1);
    expect(await sender.passed(1400, 2)).toBe(1);
  });

  it('3/min: three in the first minute are all allowed, of five in the second the last two are denied', async () => {
    const client = caller(fixedWindowPolicy({ limit: 3 }));
    const passed: boolean[] = [];
    for (const seconds of [23, 35, 50, 62, 70, 80, 95, 110])
      passed.push(...allowed(await client.ask(seconds * 1000)));
    expect(passed).toEqual([true, true, true, true, true, true, false, false]);
  });

  it('3/min, counted from the first request: the fourth waits for the rest of that minute', async () => {
    const user = caller(fixedWindowPolicy({ limit: 3, alignment: 'first_request' }));
    expect(await user.passed(30_000, 3)).toBe(3);
    expect(await user.ask(89_999)).toMatchObject([{ allowed: false, checks: [{ waitUs: 1000 }] }]);
    expect(await user.passed(90_000, 4)).toBe(3);
  });

  it('100/min: fixed windows allow 100 at 10:00:59 and again at 10:01:01, sliding ones only the first 100', async () => {
    const again = async (policy: LimitPolicy) => {
      const user = caller(policy);
      expect(await user.passed(59_000, 100)).toBe(100);
      return await user.passed(61_000, 100);
    };
    expect(await again(fixedWindowPolicy({ limit: 100 }))).toBe(100);
    expect(await again(log(100, MINUTE_MS))).toBe(0);
    expect(await again(counter(100, MINUTE_MS, 60))).toBe(0);
    // 59/60 of the previous 100 still count: 98 whole units, so that two more fit.
    expect(await again(counter(100, MINUTE_MS, 1))).toBe(2);
  });

  it('500/h with 10/min on 60 sub-windows: ten a minute are allowed for 50 minutes, then none until the first ten are an hour old', async () => {
    const kristie = caller(
      { ...counter(500, HOUR_MS, 60), name: 'hour' },
      fixedWindowPolicy({ name: 'minute', limit: 10 }),
    );
    const perMinute: number[] = [];
    for (let minute = 0; minute < 63; minute++)
      perMinute.push(await kristie.passed(minute * MINUTE_MS + 7000, 12));
    expect(perMinute).toEqual([...Array(50).fill(10), ...Array(10).fill(0), 10, 10, 10]);
  });

  it('the previous window weighted 75 % at 25 %: of 80 in the last minute, 60 count, and 40 of 100 are left', async () => {
    const client = caller(counter(100, MINUTE_MS, 1));
    expect(await client.passed(10_000, 80)).toBe(80);
    expect(await client.passed(75_000, 100)).toBe(40);
  });

  it.each([1, 2, 3, 5, 10])(
    'two windows, %i per 4 s: a caller that follows retryAfter is admitted at the rate of the limit',
    async (limit) => {
      const client = caller(counter(limit, 4000, 1));
      const windows = 100;
      let admitted = 0;
      for (let atMs = 0; atMs < windows * 4000; ) {
        const [decided] = await client.ask(atMs);
        if (decided?.allowed) admitted++;
        atMs += (decided?.checks[0]?.waitUs ?? 0) / 1000;
      }
      expect(admitted / windows).toBeGreaterThan(limit * 0.98);
      expect(admitted / windows).toBeLessThan(limit * 1.02);
    },
  );

  it.each(['interval', 'continuous'] as const)('100 tokens a minute up to 500, refill %s', async (refill) => {
    const user = caller(
      policyBy({ algorithm: 'token_bucket', limit: 100, windowMs: MINUTE_MS, capacity: 500, refill }),
    );
    expect(await user.passed(0, 600)).toBe(500);
    expect(await user.passed(30_000, 600)).toBe(refill === 'interval' ? 0 : 50);
    expect(await user.passed(60_000, 600)).toBe(refill === 'interval' ? 100 : 50);
    expect(await user.passed(60_000 + 7 * MINUTE_MS, 600)).toBe(500);
  });

  it('GCRA at 100/s: 10 ms apart, by the stored arrival time', async () => {
    const user = caller(gcraPolicy({ limit: 100, windowMs: SECOND_MS }));
    const arrivals: [atMs: number, passes: boolean, tatMs: number][] = [
      [500, true, 510],
      [509.999, false, 510],
      [510, true, 520],
      [515, false, 520],
      // Later than its time: the next one counts from its arrival.
      [534, true, 544],
      [544, true, 554],
    ];
    for (const [atMs, passes, tatMs] of arrivals) {
      expect(allowed(await user.ask(atMs)), `at ${atMs}`).toEqual([passes]);
      expect(await user.stored(), `at ${atMs}`).toBe((TEN_MS + tatMs) * 1000);
    }
  });

  it('GCRA at 100/s with burst 5: five more at once, allowed at TAT - 50 ms; idle time regains burst', async () => {
    const user = caller(gcraPolicy({ limit: 100, windowMs: SECOND_MS, burst: 5 }));
    const tatMs = async () => Number(await user.stored()) / 1000 - TEN_MS;
    expect(await user.passed(500, 10)).toBe(6);
    expect(await tatMs()).toBe(560);
    // Allowed at 560 - 50.
    expect(await user.ask(509.999)).toMatchObject([{ allowed: false, checks: [{ waitUs: 1 }] }]);
    expect(await user.passed(510, 2)).toBe(1);
    expect(await tatMs()).toBe(570);
    // Idle for two intervals: its own one, and two regained.
    expect(await user.passed(540, 10)).toBe(3);
    expect(await tatMs()).toBe(600);
    expect(await user.passed(700, 10)).toBe(6);
  });
});
