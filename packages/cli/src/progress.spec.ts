import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Progress } from './progress.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function draw(isTTY: boolean, ms: number): string[] {
  const written: string[] = [];
  const startMs = Date.now();
  const terminal = { isTTY, columns: 20, write: (text: string) => written.push(text) };
  const progress = new Progress(terminal, () => `Applying 5,000 tenants: ${Date.now() - startMs} ms`);
  vi.advanceTimersByTime(ms);
  progress.end();
  vi.advanceTimersByTime(60_000);
  return written;
}

it('prints a line every five seconds to a file, and none for a short wait', () => {
  expect(draw(false, 4900)).toEqual([]);
  expect(draw(false, 10_100)).toEqual([
    'Applying 5,000 tenants: 5000 ms\n',
    'Applying 5,000 tenants: 10000 ms\n',
  ]);
});

it('redraws one line on a terminal, cut to its width, and removes it at the end', () => {
  const written = draw(true, 250);
  expect(written).toEqual(['\rApplying 5,000 tena\x1b[K', '\rApplying 5,000 tena\x1b[K', '\r\x1b[K']);
});
