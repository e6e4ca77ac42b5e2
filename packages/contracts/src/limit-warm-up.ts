import * as z from 'zod';

const DAY_MS = 86_400_000;

/**
 * Equal parts of a ramp; the limit is constant in each, so it never exceeds the line. No more than the past states of a
 * tenant that nodes know: they carry over each counter that was written in the ramp.
 */
const WARM_UP_STEPS = 4;

/** Of a tier version: each step is an adjustment of a new tenant, and half of `MAX_ADJUSTMENTS` remain for others. */
export const MAX_WARM_UP_LIMITS = 8;

const MIN_WARM_UP_MS = 600_000;
const MAX_WARM_UP_MS = 90 * DAY_MS;

const within = (name: string, min: number, max: number) => {
  const message = `${name} must be a whole number from ${min} to ${max}`;
  return z.int(message).min(min, message).max(max, message);
};

/** Starts a limit of new tenants at a part of its number. */
export const warmUpSchema = z.strictObject({
  ms: within('ms', MIN_WARM_UP_MS, MAX_WARM_UP_MS).describe(
    `Milliseconds from the creation of a tenant until the whole limit applies, ten minutes to 90 days, in ${WARM_UP_STEPS} equal steps.`,
  ),
  startPercent: within('startPercent', 1, 99).describe('Percent of the limit in the first step, 1 to 99.'),
});

export type WarmUp = z.infer<typeof warmUpSchema>;

/** Starts the capacity of a pool at a part of its number after a cold start of its service. */
export const poolWarmUpSchema = z.strictObject({
  ms: within('ms', 1000, 3_600_000).describe(
    'Milliseconds from the reported start until the whole capacity applies, 1000 to 3600000.',
  ),
  startPercent: within('startPercent', 1, 99).describe('Percent of the capacity at the start, 1 to 99.'),
});

export type PoolWarmUp = z.infer<typeof poolWarmUpSchema>;

export interface WarmUpStep {
  readonly percent: number;
  /** Milliseconds since the start of the ramp; the last step ends with the ramp. */
  readonly fromMs: number;
  readonly untilMs: number;
}

export function warmUpSteps({ ms, startPercent }: WarmUp): WarmUpStep[] {
  return Array.from({ length: WARM_UP_STEPS }, (_, i) => ({
    percent: Math.floor(startPercent + ((100 - startPercent) * i) / WARM_UP_STEPS),
    fromMs: Math.ceil((ms * i) / WARM_UP_STEPS),
    untilMs: Math.ceil((ms * (i + 1)) / WARM_UP_STEPS),
  }));
}

/** A limit that cannot be adjusted per tenant, with the fix. */
export function findWarmUpProblems({ per, warmUp }: { per: readonly string[]; warmUp?: WarmUp | undefined }) {
  if (warmUp === undefined || per[0] !== 'global') return [];
  const message = 'A limit for all tenants together has no warm-up; leave it out, or remove global from per';
  return [{ field: 'warmUp', message }];
}
