import { useEffect, useState } from 'react';

const SECOND_MS = 1_000;

/** The time, unix ms, anew every second or as often as is said. */
export function useNow(everyMs = SECOND_MS): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}
