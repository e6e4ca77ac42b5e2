import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { EventLoop } from './event-loop.js';

let nowMs = 0;

beforeEach(() => {
  nowMs = 1000;
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** Runs `count` timer ticks, `ms` apart. */
function tick(ms: number, count = 1): void {
  for (let i = 0; i < count; i++) {
    nowMs += ms;
    vi.advanceTimersByTime(10);
  }
}

it('counts time while timers fire when they are due', () => {
  const loop = new EventLoop();
  const startMs = loop.runningMs();
  tick(10, 50);
  tick(11, 50);
  expect(loop.runningMs() - startMs).toBe(1050);
  expect(loop.lagMs()).toBe(0);
});

it('stops while the event loop is blocked, whether the timer has fired since or not', () => {
  const loop = new EventLoop();
  const startMs = loop.runningMs();
  nowMs += 60;
  expect(loop.runningMs() - startMs).toBe(12);
  vi.advanceTimersByTime(10);
  expect(loop.runningMs() - startMs).toBe(12);
  tick(10);
  expect(loop.runningMs() - startMs).toBe(22);
});

it('averages the lag over time', () => {
  const loop = new EventLoop();
  loop.lagMs();
  tick(150);
  expect(loop.lagMs()).toBeGreaterThan(40);
  expect(loop.lagMs()).toBeLessThan(100);
  tick(150, 20);
  expect(loop.lagMs()).toBeGreaterThan(130);
  tick(10, 100);
  expect(loop.lagMs()).toBeLessThan(5);
});
