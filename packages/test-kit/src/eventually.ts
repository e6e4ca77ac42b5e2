import { setTimeout as delay } from 'node:timers/promises';

/** Bound of every wait in tests, ample for a busy machine. `expect.poll` has it too. */
export const WAIT_LIMIT_MS = 120_000;
export const POLL_INTERVAL_MS = 10;

type Truthy<T> = T extends false | 0 | '' | null | undefined ? never : T;

/** Polls until `probe` returns a truthy value, and returns it. @throws Error after `WAIT_LIMIT_MS` */
export async function eventually<T>(probe: () => T | Promise<T>): Promise<Truthy<T>> {
  const endMs = performance.now() + WAIT_LIMIT_MS;
  for (;;) {
    const found = await probe();
    if (found) return found as Truthy<T>;
    if (performance.now() > endMs) throw new Error(`not within ${WAIT_LIMIT_MS / 1000} s: ${probe}`);
    await delay(POLL_INTERVAL_MS);
  }
}
