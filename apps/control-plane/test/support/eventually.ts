import { setTimeout as delay } from 'node:timers/promises';

/** Polls until `probe` returns a value; fails after `timeoutMs`. */
export async function eventually<T>(probe: () => Promise<T | undefined>, timeoutMs = 30_000): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const found = await probe();
    if (found !== undefined) return found;
    if (Date.now() > deadline) throw new Error(`Nothing within ${timeoutMs} ms`);
    await delay(10);
  }
}
