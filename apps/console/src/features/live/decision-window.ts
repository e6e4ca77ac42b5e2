import { useEffect, useState } from 'react';

/** Decisions of all nodes in one second. */
export interface DecisionFrame {
  /** End of the second, unix ms. */
  atMs: number;
  apis: Array<{ api: string; allowed: number; denied: number }>;
  /** In the last minute, highest count first. */
  mostDenied: DeniedTenant[];
  nodes: number;
}

export interface DeniedTenant {
  tenant: string;
  denied: number;
}

export const WINDOW_SECONDS = 300;

/** Period of `mostDenied`. */
export const MOST_DENIED_SECONDS = 60;

/** Frames of the last minutes, oldest first, each instant once. */
export type DecisionWindow = readonly DecisionFrame[];

export interface DecisionSeries {
  /** Unix seconds, one for each point, without gaps. */
  seconds: number[];
  allowed: number[];
  denied: number[];
}

/**
 * Adds frames in any order. A frame of a known instant replaces the old one, so that the history sent after a
 * reconnect counts once. Frames older than the window are dropped.
 */
export function addFrames(window: DecisionWindow, frames: readonly DecisionFrame[]): DecisionWindow {
  if (frames.length === 0) return window;
  const byInstant = new Map([...window, ...frames].map((frame) => [frame.atMs, frame]));
  const sorted = [...byInstant.values()].sort((a, b) => a.atMs - b.atMs);
  const oldestMs = (sorted.at(-1)?.atMs ?? 0) - WINDOW_SECONDS * 1_000;
  return sorted.filter((frame) => frame.atMs > oldestMs);
}

/**
 * Decisions per second over the `seconds` that end at `endSecond` (inclusive); seconds without a frame are zero.
 * With `api` undefined, of all APIs together.
 */
export function seriesOf(
  window: DecisionWindow,
  { api, endSecond, seconds }: { api: string | undefined; endSecond: number; seconds: number },
): DecisionSeries {
  const first = endSecond - seconds + 1;
  const series: DecisionSeries = {
    seconds: Array.from({ length: seconds }, (_, i) => first + i),
    allowed: new Array<number>(seconds).fill(0),
    denied: new Array<number>(seconds).fill(0),
  };
  for (const frame of window) {
    const at = secondOf(frame) - first;
    if (at < 0 || at >= seconds) continue;
    for (const row of frame.apis) {
      if (api !== undefined && row.api !== api) continue;
      series.allowed[at] = (series.allowed[at] ?? 0) + row.allowed;
      series.denied[at] = (series.denied[at] ?? 0) + row.denied;
    }
  }
  return series;
}

export interface ApiTotals {
  api: string;
  allowed: number;
  denied: number;
}

/** Totals of each API in the last `seconds`, busiest first; includes APIs without decisions. */
export function totalsByApi(window: DecisionWindow, endSecond: number, seconds: number): ApiTotals[] {
  const totals = new Map<string, ApiTotals>();
  for (const frame of window) {
    const inside = isWithin(frame, endSecond, seconds);
    for (const { api, allowed, denied } of frame.apis) {
      const total = totals.get(api) ?? { api, allowed: 0, denied: 0 };
      totals.set(api, total);
      if (!inside) continue;
      total.allowed += allowed;
      total.denied += denied;
    }
  }
  return [...totals.values()].sort(
    (a, b) => b.allowed + b.denied - a.allowed - a.denied || a.api.localeCompare(b.api),
  );
}

/** Most denied tenants of the minute before `endSecond`, highest count first. */
export function mostDenied(window: DecisionWindow, endSecond: number): readonly DeniedTenant[] {
  const latest = window.findLast((frame) => secondOf(frame) <= endSecond);
  return latest && secondOf(latest) > endSecond - MOST_DENIED_SECONDS ? latest.mostDenied : [];
}

/** Number of known seconds up to `endSecond`, between `atLeast` and `atMost`: the time range of the chart. */
export function knownSeconds(
  window: DecisionWindow,
  endSecond: number,
  { atLeast, atMost }: { atLeast: number; atMost: number },
): number {
  const first = window[0];
  const known = first ? endSecond - secondOf(first) + 1 : 0;
  return Math.min(atMost, Math.max(atLeast, known));
}

/** Seconds without decisions have frames too. */
export const hasDecisions = (window: DecisionWindow): boolean => window.some(({ apis }) => apis.length > 0);

/** The chart in one sentence, for screen readers. */
export function describeSeries({ allowed, denied }: DecisionSeries, of: string): string {
  const allowedSum = sum(allowed);
  const deniedSum = sum(denied);
  const total = allowedSum + deniedSum;
  if (total === 0) return `No decisions for ${of} in the last ${allowed.length} seconds.`;
  const peak = Math.max(...allowed.map((value, i) => value + (denied[i] ?? 0)));
  const share = ((deniedSum / total) * 100).toFixed(1);
  return (
    `${of}, last ${allowed.length} seconds: ${allowedSum.toLocaleString('en-US')} allowed, ` +
    `${deniedSum.toLocaleString('en-US')} denied (${share} %), peak ${peak.toLocaleString('en-US')} per second.`
  );
}

function isWithin(frame: DecisionFrame, endSecond: number, seconds: number): boolean {
  const second = secondOf(frame);
  return second <= endSecond && second > endSecond - seconds;
}

/** The second that a frame counts: one that ends at 12.000 s counts second 11. */
const secondOf = (frame: DecisionFrame): number => Math.floor((frame.atMs - 1) / 1_000);

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** The longest delivery time of a frame. */
const SETTLE_SECONDS = 2;

/** The last complete second by the server's clock; does not advance while `paused`. */
export function useCompleteSecond(paused: boolean, clockOffsetMs: number): number {
  const [second, setSecond] = useState(() => completeSecond(clockOffsetMs));
  useEffect(() => {
    if (paused) return;
    const timer = setInterval(() => setSecond(completeSecond(clockOffsetMs)), 250);
    return () => clearInterval(timer);
  }, [paused, clockOffsetMs]);
  return second;
}

const completeSecond = (clockOffsetMs: number): number =>
  Math.floor((Date.now() + clockOffsetMs) / 1_000) - SETTLE_SECONDS;
