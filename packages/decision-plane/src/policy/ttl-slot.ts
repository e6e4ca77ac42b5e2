/** A second: an expiry never hangs on single milliseconds. */
const MIN_EXPONENT = 10;

/**
 * Exponent of the TTL slot of a state that matters for `horizonMs`: 10–31. The script sets a key's expiry once in a slot of
 * 2^exponent ms, an eighth to a sixteenth of the horizon (`scripts/policy.lua`, docs/adr/0011-decide-script-second-form.md).
 */
export function ttlSlotExponent(horizonMs: number): number {
  return Math.max(MIN_EXPONENT, Math.floor(Math.log2(horizonMs / 8)));
}
