import { useEffect, useState } from 'react';

/** Frames reach the console up to this long after the second that they count. */
const SETTLE_SECONDS = 2;

/** The last second that is surely complete, moving on by itself; stands still while `paused`. By the server's clock. */
export function useSettledSecond(paused: boolean, clockOffsetMs: number): number {
  const [second, setSecond] = useState(() => settledSecond(clockOffsetMs));
  useEffect(() => {
    if (paused) return;
    const timer = setInterval(() => setSecond(settledSecond(clockOffsetMs)), 250);
    return () => clearInterval(timer);
  }, [paused, clockOffsetMs]);
  return second;
}

const settledSecond = (clockOffsetMs: number): number =>
  Math.floor((Date.now() + clockOffsetMs) / 1_000) - SETTLE_SECONDS;
