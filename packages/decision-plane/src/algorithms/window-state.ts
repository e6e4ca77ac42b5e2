/** A count and the moment that it belongs to. */
export interface WindowState {
  count: number;
  /** Start of the window that `count` belongs to, unix ms. */
  startMs: number;
}

/**
 * Stored times count from 2020-01-01, so that a state of up to 9,222 requests is one integer to Redis (32 bytes less
 * a key than a string).
 */
const STATE_EPOCH_MS = 1_577_836_800_000;
const START_DIGITS = 12;

/** The count, then 12 digits of the start: twin of `scripts/algorithms/window-state.lua`. */
export function encodeWindow(state: WindowState): string {
  return state.count.toFixed(0) + (state.startMs - STATE_EPOCH_MS).toFixed(0).padStart(START_DIGITS, '0');
}

/** Undefined for any other text. */
export function decodeWindow(text: string): WindowState | undefined {
  if (!/^\d{13,29}$/.test(text)) return undefined;
  const startMs = Number(text.slice(-START_DIGITS)) + STATE_EPOCH_MS;
  return { count: Number(text.slice(0, -START_DIGITS)), startMs };
}
