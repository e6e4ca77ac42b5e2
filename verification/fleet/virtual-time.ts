import { syncBuiltinESMExports } from 'node:module';
import timersPromises from 'node:timers/promises';

interface Timer {
  readonly atMs: number;
  /** Timers of one time run in the order of their creation. */
  readonly order: number;
  readonly run: () => void;
  isCanceled: boolean;
}

const realImmediate = setImmediate;

/** Timers are rounded up to a tick, so that those of many nodes run in one turn. */
const TICKS_PER_MS = 16;

/** A turn of the real event loop, in which pending promises settle. */
const settle = () => new Promise<void>((resolve) => realImmediate(resolve));

/**
 * Simulated time for one process. While it runs, `setTimeout`, `setInterval`, `performance.now`, `Date.now` and
 * `setImmediate` of `node:timers/promises` follow it, so that the engine's own code runs unchanged. Programs cost no
 * simulated time, except a yield of the event loop.
 */
export class VirtualTime {
  private readonly yieldMs: number;
  private readonly startMs: number;
  /** Milliseconds since the start. */
  nowMs = 0;
  private readonly heap: Timer[] = [];
  private created = 0;

  /**
   * @param yieldMs simulated time of a yield: what the program does until its next one
   * @param startMs Unix time of the start
   */
  constructor(yieldMs: number, startMs = Date.UTC(2026, 0, 1)) {
    this.yieldMs = yieldMs;
    this.startMs = startMs;
  }

  /** Microseconds since the Unix epoch. */
  readonly nowUs = (): number => Math.round((this.startMs + this.nowMs) * 1000);

  /** Runs `run` once, after `delayMs`; returns a function that cancels it. */
  readonly schedule = (run: () => void, delayMs: number): (() => void) => {
    const timer: Timer = {
      atMs: Math.ceil((this.nowMs + Math.max(0, delayMs)) * TICKS_PER_MS) / TICKS_PER_MS,
      order: this.created++,
      run,
      isCanceled: false,
    };
    this.push(timer);
    return () => {
      timer.isCanceled = true;
    };
  };

  /** Resolves after `ms`. */
  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.schedule(resolve, ms));
  }

  /** Runs all timers that are due within `ms`, each at its time. */
  async advance(ms: number): Promise<void> {
    const endMs = this.nowMs + ms;
    await settle();
    for (let next = this.heap[0]; next !== undefined && next.atMs <= endMs; next = this.heap[0]) {
      this.nowMs = next.atMs;
      this.runDue();
      await settle();
    }
    this.nowMs = endMs;
  }

  /** Replaces the clocks and timers of the process during `work`. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    const real = {
      ...pick(globalThis),
      now: performance.now,
      date: Date.now,
      turn: timersPromises.setImmediate,
    };
    const timeout = (run: () => void, delayMs = 0) => handleOf(this.schedule(run, delayMs));
    const interval = (run: () => void, everyMs = 0) => handleOf(this.repeat(run, everyMs));
    const clear = (handle?: { cancel?: () => void }) => handle?.cancel?.();
    Object.assign(globalThis, {
      setTimeout: timeout,
      setInterval: interval,
      clearTimeout: clear,
      clearInterval: clear,
    });
    performance.now = () => this.nowMs;
    Date.now = () => this.startMs + this.nowMs;
    timersPromises.setImmediate = (<T>(value?: T) =>
      this.sleep(this.yieldMs).then(() => value)) as typeof real.turn;
    syncBuiltinESMExports();
    try {
      return await work();
    } finally {
      const { now, date, turn, ...timers } = real;
      Object.assign(globalThis, timers);
      performance.now = now;
      Date.now = date;
      timersPromises.setImmediate = turn;
      syncBuiltinESMExports();
    }
  }

  private runDue(): void {
    for (let next = this.heap[0]; next !== undefined && next.atMs <= this.nowMs; next = this.heap[0]) {
      this.pop();
      if (!next.isCanceled) next.run();
    }
  }

  private repeat(run: () => void, everyMs: number): () => void {
    let cancel: () => void;
    const plan = () => {
      cancel = this.schedule(() => {
        plan();
        run();
      }, everyMs);
    };
    plan();
    return () => cancel();
  }

  private push(timer: Timer): void {
    const { heap } = this;
    let at = heap.push(timer) - 1;
    for (let parent = (at - 1) >> 1; at > 0 && isBefore(timer, heap[parent]); parent = (at - 1) >> 1) {
      heap[at] = heap[parent] as Timer;
      at = parent;
    }
    heap[at] = timer;
  }

  /** Removes the first timer. */
  private pop(): void {
    const { heap } = this;
    const last = heap.pop() as Timer;
    if (heap.length === 0) return;
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      const least = isBefore(heap[left + 1], heap[left]) ? left + 1 : left;
      if (!isBefore(heap[least], last)) break;
      heap[at] = heap[least] as Timer;
      at = least;
    }
    heap[at] = last;
  }
}

function isBefore(a: Timer | undefined, b: Timer | undefined): boolean {
  if (a === undefined || b === undefined) return a !== undefined;
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
}

function pick({ setTimeout, setInterval, clearTimeout, clearInterval }: typeof globalThis) {
  return { setTimeout, setInterval, clearTimeout, clearInterval };
}

function handleOf(cancel: () => void) {
  const handle = { cancel, ref: () => handle, unref: () => handle, hasRef: () => false };
  return handle;
}
