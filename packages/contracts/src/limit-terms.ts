import * as z from 'zod';
import { poolNameSchema } from './names.js';

/** The longest that a request may be asked to wait, ms. */
export const MAX_DELAY_MS = 60_000;

/** A whole number of a range, named with its range where it is out of it. */
const within = (name: string, least: number, most: number) => {
  const message = `${name} must be ${least} to ${most}`;
  return z.int(`${name} must be a whole number`).min(least, message).max(most, message);
};

/**
 * What happens past a limit. `hard`: refused. `soft`: allowed up to `percent` more, marked, then refused. `elastic`: allowed
 * up to `maxPercent` more while the API's pool has spare capacity. `queue`: allowed with a delay of at most `maxDelayMs`.
 */
export const throttleSchema = z.discriminatedUnion('mode', [
  z.strictObject({ mode: z.literal('hard') }),
  z.strictObject({
    mode: z.literal('soft'),
    percent: within('percent', 1, 1000),
  }),
  z.strictObject({
    mode: z.literal('elastic'),
    maxPercent: within('maxPercent', 1, 10_000),
    pool: poolNameSchema,
  }),
  z.strictObject({
    mode: z.literal('queue'),
    maxDelayMs: within('maxDelayMs', 1, MAX_DELAY_MS),
  }),
]);

/**
 * Whether a refusal is one. `shadow`: counted and told, never refused. `percent`: enforced for so many of a hundred
 * counters, always the same ones; shadow for the others.
 */
export const enforcementSchema = z.discriminatedUnion('mode', [
  z.strictObject({ mode: z.literal('enforce') }),
  z.strictObject({ mode: z.literal('shadow') }),
  z.strictObject({
    mode: z.literal('percent'),
    percent: within('percent', 1, 99),
  }),
]);

/**
 * The requests that count. `always`: every request. `on_failure`: requests that the caller reports as failed; one without a reported
 * outcome is in flight, which takes room, for the limit's `attemptTimeoutMs`. `on_success`: a request is charged at once, and
 * refunded when the caller reports failure; without a report the charge stays.
 */
export const chargeSchema = z.enum(['always', 'on_failure', 'on_success']);

/**
 * `strict`: one script run a decision. `leased`: a node takes capacity ahead of time and spends it by itself for at most
 * `leaseMs`; what all nodes hold is never more than the limit, and what one leaves unspent comes back.
 */
export const consistencySchema = z.discriminatedUnion('mode', [
  z.strictObject({ mode: z.literal('strict') }),
  z.strictObject({
    mode: z.literal('leased'),
    leaseMs: within('leaseMs', 100, 60_000),
  }),
]);

/** What happens to what is used when a limit changes; see `Algorithm.rebase` for each algorithm. */
export const carryOverSchema = z.enum(['keep', 'reset', 'proportional', 'additive']);

export type Throttle = z.infer<typeof throttleSchema>;
export type Enforcement = z.infer<typeof enforcementSchema>;
export type ChargeRule = z.infer<typeof chargeSchema>;
export type Consistency = z.infer<typeof consistencySchema>;
export type CarryOver = z.infer<typeof carryOverSchema>;
