/**
 * Exponent of the TTL slot of a state that matters for `horizonMs`: 0–31.
 *
 * Setting a key's expiry on every write costs Redis a third of its throughput (docs/adr/0004-decide-script.md), so time
 * is cut into slots of 2^exponent ms, an eighth to a sixteenth of the horizon: the first write in a slot sets an expiry
 * that outlasts the slot by the horizon, later ones keep it. The mark stored with each state (`write-states.lua`) holds
 * the exponent and the slot's number modulo 25; a key lives for 18 slots at most, so a mark never means two slots.
 */
export function ttlSlotExponent(horizonMs: number): number {
  return Math.max(0, Math.floor(Math.log2(Math.max(1, horizonMs / 8))));
}
