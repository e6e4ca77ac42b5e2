import { setTimeout as delay } from 'node:timers/promises';

/** Waits until `isSo`. @returns how long it took, ms @throws Error after `timeoutMs` */
export async function until(
  what: string,
  isSo: () => boolean | Promise<boolean>,
  { timeoutMs = 180_000, everyMs = 2 } = {},
): Promise<number> {
  const startMs = performance.now();
  while (!(await isSo())) {
    if (performance.now() - startMs > timeoutMs) throw new Error(`not within ${timeoutMs} ms: ${what}`);
    await delay(everyMs);
  }
  return performance.now() - startMs;
}

/** The value below which `part` of `values` are; 0 without values. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}
