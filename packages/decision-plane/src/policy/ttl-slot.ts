/**
 * When a key's expiry is set anew. Setting it on every write costs Redis a third of its throughput (measured:
 * docs/adr/0004-decide-script.md), so time is cut into slots of 2^exponent ms, an eighth to a sixteenth of the
 * state's horizon: the first write in a slot sets an expiry that outlasts the slot by the horizon, later ones keep it.
 */
export const TTL_SLOT_CYCLE = 25;

/**
 * Exponent of the slot length for a state that matters for `horizonMs`: 0–31. The mark stored with each state holds
 * the exponent and the slot number modulo {@link TTL_SLOT_CYCLE}; a key lives for 18 slots at most, so a mark never
 * means two slots.
 */
export function ttlSlotExponent(horizonMs: number): number {
  return Math.max(0, Math.floor(Math.log2(Math.max(1, horizonMs / 8))));
}
