// Needed to compile this package from source.
import calculateSlot from 'cluster-key-slot';
import { LRUCache } from 'lru-cache';

/** Computing the slot is the most expensive step for a key. */
const MAX_TAGS = 50_000;

const slots = new LRUCache<string, number>({ max: MAX_TAGS });

/** Hash tag at the start of our keys, with braces; undefined for other keys. */
export function tagOf(key: string): string | undefined {
  const end = key.charCodeAt(0) === 0x7b ? key.indexOf('}') : -1;
  return end > 1 ? key.slice(0, end + 1) : undefined;
}

/** 0 to 16383. */
export function slotOf(key: string): number {
  const tag = tagOf(key);
  if (tag === undefined) return calculateSlot(key);
  let slot = slots.get(tag);
  if (slot === undefined) {
    slot = calculateSlot(tag);
    slots.set(tag, slot);
  }
  return slot;
}
