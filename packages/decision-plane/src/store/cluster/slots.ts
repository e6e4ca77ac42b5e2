// Whoever compiles this package from its sources needs them too.
/// <reference path="./cluster-key-slot.d.ts" />
import calculateSlot from 'cluster-key-slot';
import { LRUCache } from 'lru-cache';

/** Hash tags whose slots are remembered: computing one takes longer than everything else about a key. */
const MAX_TAGS = 50_000;

const slots = new LRUCache<string, number>({ max: MAX_TAGS });

/** The hash tag that our keys begin with, braces included; undefined for any other key. */
export function tagOf(key: string): string | undefined {
  const end = key.charCodeAt(0) === 0x7b ? key.indexOf('}') : -1;
  return end > 1 ? key.slice(0, end + 1) : undefined;
}

/** The slot of a key in a Redis Cluster, 0 to 16383. */
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
