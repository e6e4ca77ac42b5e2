// From a terminal one Ctrl-C can arrive twice: directly and through the program that started us.
const SAME_REQUEST_MS = 1500;

/** Exit code of a program that ended on request: 128 + SIGINT. */
export const STOPPED_EXIT_CODE = 130;

/** Turns Ctrl-C and SIGTERM into `signal`; asked again later on, ends the process at once. */
export function listenForStop(): { signal: AbortSignal; close(): void } {
  const controller = new AbortController();
  let askedAtMs: number | undefined;
  const ask = () => {
    const nowMs = performance.now();
    if (askedAtMs !== undefined && nowMs - askedAtMs > SAME_REQUEST_MS) process.exit(STOPPED_EXIT_CODE);
    askedAtMs ??= nowMs;
    controller.abort();
  };
  process.on('SIGINT', ask);
  process.on('SIGTERM', ask);
  return {
    signal: controller.signal,
    close: () => {
      process.off('SIGINT', ask);
      process.off('SIGTERM', ask);
    },
  };
}
