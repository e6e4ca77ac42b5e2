/** Entries per set: a lookup compares this many hashes, which share a cache line. */
const WAYS = 4;
const MIN_SETS = 64;

/**
 * A cache whose keys have several parts, without a text that joins them. The least recently added entry of a set is replaced
 * first. Grows to `maxEntries`, rounded up to a power of two. `matches` distinguishes keys with equal hashes.
 */
export abstract class HashedCache<V, K1, K2> {
  private hashes = new Int32Array(MIN_SETS * WAYS);
  private entries: (V | undefined)[] = new Array(MIN_SETS * WAYS).fill(undefined);
  private mask = MIN_SETS - 1;
  private added = 0;

  constructor(private readonly maxEntries: number) {}

  protected abstract matches(entry: V, first: K1, second: K2): boolean;

  protected get(hash: number, first: K1, second: K2): V | undefined {
    const { hashes, entries } = this;
    const start = (hash & this.mask) * WAYS;
    for (let i = start; i < start + WAYS; i++) {
      if (hashes[i] !== hash) continue;
      const entry = entries[i];
      if (entry !== undefined && this.matches(entry, first, second)) return entry;
    }
    return undefined;
  }

  /** Replaces an entry with the same key. */
  protected add(hash: number, entry: V, first: K1, second: K2): void {
    if (++this.added > this.entries.length / 2 && this.entries.length < this.maxEntries) this.grow();
    const start = (hash & this.mask) * WAYS;
    let last = start;
    while (last < start + WAYS - 1 && !this.isFree(last, hash, first, second)) last++;
    this.put(start, last, hash, entry);
  }

  private isFree(i: number, hash: number, first: K1, second: K2): boolean {
    const entry = this.entries[i];
    return entry === undefined || (this.hashes[i] === hash && this.matches(entry, first, second));
  }

  /** Moves the entries before `last` back by one place. */
  private put(start: number, last: number, hash: number, entry: V): void {
    const { hashes, entries } = this;
    for (let i = last; i > start; i--) {
      hashes[i] = hashes[i - 1] as number;
      entries[i] = entries[i - 1];
    }
    hashes[start] = hash;
    entries[start] = entry;
  }

  private grow(): void {
    const { hashes, entries } = this;
    this.hashes = new Int32Array(entries.length * 2);
    this.entries = new Array(entries.length * 2).fill(undefined);
    this.mask = this.entries.length / WAYS - 1;
    this.added = 0;
    for (let i = entries.length - 1; i >= 0; i--) {
      const entry = entries[i];
      if (entry === undefined) continue;
      const hash = hashes[i] as number;
      const start = (hash & this.mask) * WAYS;
      this.put(start, start + WAYS - 1, hash, entry);
      this.added++;
    }
  }
}

/** Continues a hash with a text, two characters at a time; 32 bits, not cryptographic, differs between versions. */
export function hashOn(hash: number, text: string): number {
  const { length } = text;
  let mixed = hash ^ length;
  let i = 0;
  for (; i + 1 < length; i += 2) {
    mixed = Math.imul(mixed ^ (text.charCodeAt(i) | (text.charCodeAt(i + 1) << 16)), 0x9e3779b1);
    mixed ^= mixed >>> 15;
  }
  if (i < length) mixed = Math.imul(mixed ^ text.charCodeAt(i), 0x9e3779b1);
  return mixed ^ (mixed >>> 13);
}
