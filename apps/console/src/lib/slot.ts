/** A value outside of React's tree, for `useSyncExternalStore`. */
export interface Slot<T> {
  get: () => T | undefined;
  set: (value: T | undefined) => void;
  /** Calls `listener` after each change. Returns the end of the subscription. */
  subscribe: (listener: () => void) => () => void;
}

/** Returns an empty slot. */
export function createSlot<T>(): Slot<T> {
  let current: T | undefined;
  const listeners = new Set<() => void>();
  return {
    get: () => current,
    set: (value) => {
      current = value;
      for (const listener of listeners) listener();
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
