import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Adjustment, resolveLimit } from './adjustments.js';
import { type LimitPolicy, limitPolicySchema } from './limit-policy.js';
import { warmUpSteps } from './limit-warm-up.js';

const limit = {
  ...{ name: 'calls', api: 'shop', operations: [], per: [], onUnavailable: 'share', limit: 100 },
  ...{ algorithm: 'fixed_window', windowMs: 60_000, alignment: 'clock' },
};
const warmUp = { ms: 600_000, startPercent: 40 };

it('divides the ramp into four steps below the line, without gaps', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 600_000, max: 90 * 86_400_000 }),
      fc.integer({ min: 1, max: 99 }),
      (ms, startPercent) => {
        const steps = warmUpSteps({ ms, startPercent });
        expect(steps[0]).toMatchObject({ fromMs: 0, percent: startPercent });
        expect(steps.at(-1)?.untilMs).toBe(ms);
        for (const [i, { fromMs, untilMs, percent }] of steps.entries()) {
          expect(untilMs).toBe(steps[i + 1]?.fromMs ?? ms);
          expect(percent).toBeLessThanOrEqual(startPercent + ((100 - startPercent) * fromMs) / ms);
        }
      },
    ),
  );
});

it('lowers the limit before other adjustments, and leaves a blocking limit at 0', () => {
  const target = { api: 'shop', limit: 'calls' };
  const adjustments: Adjustment[] = [
    { id: 'a', source: 'upgrade', ...target, effect: { kind: 'add', units: 5 } },
    { id: 'b', source: 'warm_up', ...target, effect: { kind: 'multiply', percent: 40 } },
  ];
  expect(resolveLimit(limit as LimitPolicy, adjustments).policy.limit).toBe(45);
  const blocking = { ...limit, limit: 0 } as LimitPolicy;
  expect(resolveLimit(blocking, adjustments.slice(1)).policy.limit).toBe(0);
});

it.each([
  [{ ...limit, warmUp: { ...warmUp, ms: 599_999 } }, 'warmUp.ms'],
  [{ ...limit, warmUp: { ...warmUp, startPercent: 100 } }, 'warmUp.startPercent'],
  [{ ...limit, per: ['global'], warmUp }, 'warmUp'],
])('rejects %j and names the field', (policy, field) => {
  const issues = limitPolicySchema.safeParse(policy).error?.issues ?? [];
  expect(issues.map(({ path }) => path.join('.'))).toEqual([field]);
});
