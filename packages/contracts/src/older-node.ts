/* Built-ins of ECMAScript 2024 for packages that run on Node 20. */

/** As `Map.groupBy`: items by key, in the order of their first item. */
export function groupBy<K, T>(items: Iterable<T>, keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

/** A promise and the functions that settle it. */
export interface Resolvers<T> {
  promise: Promise<T>;
  resolve: (value: T | PromiseLike<T>) => void;
  reject: (reason?: unknown) => void;
}

/** As `Promise.withResolvers`. */
export function withResolvers<T>(): Resolvers<T> {
  // The executor runs before the constructor returns.
  let settle!: Pick<Resolvers<T>, 'resolve' | 'reject'>;
  const promise = new Promise<T>((resolve, reject) => {
    settle = { resolve, reject };
  });
  return { promise, ...settle };
}
