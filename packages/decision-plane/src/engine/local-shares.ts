import type { WirePolicy } from '../policy/compile.js';

/** A fifth of the room is for tenants with few shares. */
const RESERVED_PART = 5;

/** The part of the free room that a tenant may have where only the reserved fifth is left. */
const RESERVE_DIVISOR = 100;

/**
 * The shares that a node spends during an outage, by counter key: at most `maxKeys`. A share that is spent must not be
 * evicted, or it could be spent again. Instead, the number that one tenant may have falls with the free room: free room
 * minus the reserved fifth, and at least a hundredth of the free room. One tenant thus gets at most two fifths of all, and
 * hundreds of tenants have to flood the node at once before another one gets no share.
 *
 * A tenant is the hash tag of a key. Limits on all tenants together count as one further tenant per API.
 */
export class LocalShares {
  private readonly shares = new Map<string, WirePolicy>();
  private readonly counts = new Map<string, number>();

  constructor(private readonly maxKeys: number) {}

  get size(): number {
    return this.shares.size;
  }

  get(key: string): WirePolicy | undefined {
    return this.shares.get(key);
  }

  has(key: string): boolean {
    return this.shares.has(key);
  }

  entries(): Iterable<[string, WirePolicy]> {
    return this.shares;
  }

  /** Whether the tenant of `key` may begin one more share. */
  hasRoomFor(key: string): boolean {
    const free = this.maxKeys - this.shares.size;
    if (free <= 0) return false;
    const allowed = Math.max(free - this.maxKeys / RESERVED_PART, free / RESERVE_DIVISOR);
    return (this.counts.get(tagOf(key)) ?? 0) < allowed;
  }

  set(key: string, share: WirePolicy): void {
    if (!this.shares.has(key)) this.count(key, 1);
    this.shares.set(key, share);
  }

  delete(key: string): void {
    if (this.shares.delete(key)) this.count(key, -1);
  }

  private count(key: string, change: number): void {
    const tag = tagOf(key);
    const count = (this.counts.get(tag) ?? 0) + change;
    if (count > 0) this.counts.set(tag, count);
    else this.counts.delete(tag);
  }
}

function tagOf(key: string): string {
  return key.slice(1, key.indexOf('}'));
}
