import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { EventLoop, ServerClock } from './clocks.js';

let nowMs = 0;

beforeEach(() => {
  nowMs = 1000;
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] });
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

it('counts time while timers fire on time', () => {
  const loop = new EventLoop();
  const startMs = loop.runningMs();
  tick(10, 50);
  tick(11, 50);
  expect(loop.runningMs() - startMs).toBe(1050);
  expect(loop.lagMs()).toBe(0);
});

it('stops while the event loop is blocked, whether or not the timer has fired since', () => {
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

/** Resolves after one turn of the event loop. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

it('runs a callback when its time has passed, without time in which the event loop was blocked', async () => {
  const loop = new EventLoop();
  const onPassed = vi.fn();
  loop.at(loop.runningMs() + 20, onPassed);
  // Blocked for 90 ms, of which 12 are within the tolerance.
  nowMs += 90;
  vi.advanceTimersByTime(20);
  await turn();
  expect(onPassed).not.toHaveBeenCalled();
  tick(10);
  await turn();
  expect(onPassed).toHaveBeenCalledOnce();
});

it('runs the callback after the replies that arrived before its time', async () => {
  const loop = new EventLoop();
  const order: string[] = [];
  loop.at(loop.runningMs() + 20, () => order.push('deadline'));
  tick(10, 2);
  // Like a socket, which is read between timers and immediates.
  order.push('reply');
  await turn();
  expect(order).toEqual(['reply', 'deadline']);
});

it('does not run a canceled callback, even if its time has passed', async () => {
  const loop = new EventLoop();
  const onPassed = vi.fn();
  const cancel = loop.at(loop.runningMs() + 20, onPassed);
  tick(10, 2);
  cancel();
  await turn();
  expect(onPassed).not.toHaveBeenCalled();
});

describe('server clock', () => {
  it('is undefined before the first reply', () => {
    expect(new ServerClock().atUs(1000)).toBeUndefined();
  });

  it('uses the reply with the shortest return time', () => {
    const clock = new ServerClock();
    clock.learn(5_000_000, 1000, 1010);
    expect(clock.atUs(1010)).toBe(5_000_000);
    // 1 ms to return, where the first took up to 10: the bound rises.
    clock.learn(5_010_000, 1010, 1011);
    expect(clock.atUs(1011)).toBe(5_010_000);
    // Slower again: the bound stays.
    clock.learn(5_015_000, 1012, 1030);
    expect(clock.atUs(1030)).toBeGreaterThan(5_028_900);
  });

  it('follows a clock that is set back, or a replaced server, with the first reply', () => {
    const clock = new ServerClock();
    clock.learn(60_000_000, 1000, 1001);
    clock.learn(50_000_000, 1002, 1003);
    expect(clock.atUs(1003)).toBe(50_000_000);
  });

  it('is never ahead of the server, for any transit times and idle times', () => {
    const exchange = fc.record({
      idleMs: fc.integer({ min: 0, max: 100_000 }),
      thereMs: fc.double({ min: 0, max: 500, noNaN: true }),
      backMs: fc.double({ min: 0, max: 500, noNaN: true }),
      askedAfterMs: fc.integer({ min: 0, max: 100_000 }),
    });
    const drift = fc.double({ min: -0.0004, max: 0.0004, noNaN: true });
    fc.assert(
      fc.property(fc.array(exchange, { minLength: 1, maxLength: 30 }), drift, (exchanges, driftRate) => {
        const serverUs = (localMs: number) => 1.7e15 + localMs * 1000 * (1 + driftRate);
        const clock = new ServerClock();
        let nowMs = 0;
        for (const { idleMs, thereMs, backMs, askedAfterMs } of exchanges) {
          const sentMs = nowMs + idleMs;
          const receivedMs = sentMs + thereMs + backMs;
          clock.learn(Math.floor(serverUs(sentMs + thereMs)), sentMs, receivedMs);
          const laterMs = receivedMs + askedAfterMs;
          expect(clock.atUs(laterMs)).toBeLessThanOrEqual(serverUs(laterMs) + 1);
          nowMs = receivedMs;
        }
      }),
    );
  });
});
