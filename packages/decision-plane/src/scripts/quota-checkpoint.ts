import type { Redis } from 'ioredis';
import { QUOTA_CHECKPOINT_SCRIPT } from '../generated/scripts.js';
import { runScript, scriptOf } from './script.js';

const script = scriptOf(QUOTA_CHECKPOINT_SCRIPT);

/** What was seen used of a counter. */
export interface QuotaReading {
  readonly used: number;
  /** The counters' time of the reading, microseconds since the Unix epoch. */
  readonly atUs: number;
  /** That of the first reading after something was given back, which those before it must not undo; 0: nothing was. */
  readonly loweredAtUs: number;
}

/**
 * Raises what the hash says of each counter to `used`, where it is less; where something was given back since the reading
 * that it is of, puts `used` in its place. Repeating it, in any order, changes nothing.
 * @returns how many were changed
 */
export async function writeQuotaCheckpoints(
  redis: Redis,
  hash: string,
  forgetAtMs: number,
  counters: readonly (QuotaReading & { readonly key: string })[],
): Promise<number> {
  const values = counters.flatMap(({ key, used, atUs, loweredAtUs }) => [
    key,
    ...[used, atUs, loweredAtUs].map((number) => number.toFixed(0)),
  ]);
  const reply = await runScript(redis, script, [hash], [forgetAtMs.toFixed(0), ...values]);
  if (typeof reply !== 'number') throw new Error(`quota-checkpoint: unexpected reply ${String(reply)}`);
  return reply;
}
