import type { LimitPolicy } from '@tollgate/contracts';
import { algorithmOf } from '@tollgate/limiter/algorithms';
import fc from 'fast-check';
import type { JudgedCharge } from '../src/recount/windows.js';

/** 2026-01-01, 10:00 UTC. */
export const T0 = Date.UTC(2026, 0, 1, 10, 0, 0);

/** A request as it is sent: `sentMs` after {@link T0}, decided and answered that much later. */
export interface Arrival {
  sentMs: number;
  decidedAfterUs: number;
  answeredAfterUs: number;
  cost: number;
}

/** Up to 80 requests within `spanMs`, many of them under way at once. */
export const arrivalsWithin = (spanMs: number): fc.Arbitrary<Arrival[]> =>
  fc.array(
    fc.record({
      sentMs: fc.nat(spanMs),
      decidedAfterUs: fc.nat(30_000),
      answeredAfterUs: fc.nat(30_000),
      cost: fc.integer({ min: 1, max: 3 }),
    }),
    { minLength: 1, maxLength: 80, size: 'max' },
  );

/** Admissions of `arrivals` by the decision plane's model, as a replay would log them. */
export function play<P extends LimitPolicy>(
  kind: Parameters<typeof algorithmOf>[0],
  policy: P,
  arrivals: readonly Arrival[],
): JudgedCharge<P>[] {
  const model = algorithmOf(kind);
  const compiled = model.compile(policy, { timeZone: 'UTC', billingAnchorDay: 1, nowMs: T0 });
  if (!compiled.ok) throw new Error(`does not compile: ${JSON.stringify(compiled.errors)}`);
  let state: unknown;
  return arrivals
    .map((arrival) => ({ ...arrival, decidedUs: (T0 + arrival.sentMs) * 1000 + arrival.decidedAfterUs }))
    .sort((a, b) => a.decidedUs - b.decidedUs)
    .flatMap(({ sentMs, decidedUs, answeredAfterUs, cost }) => {
      const step = model.step(state, compiled.policy, cost, decidedUs, 0);
      state = step.state;
      if (!step.allowed) return [];
      return {
        limit: policy.name,
        client: '203.0.113.9',
        revision: 1,
        limitMax: policy.limit,
        windowMs: 'windowMs' in policy ? policy.windowMs : 0,
        cost,
        sentMs: T0 + sentMs,
        receivedMs: Math.floor((decidedUs + answeredAfterUs) / 1000) + 1,
        resetMs: Math.ceil((decidedUs + step.resetAfterUs) / 1000),
        policy,
      };
    });
}
