import { BatchExpired, type CallTiming } from '../scripts/decide.js';
import { type ClockUs, eventLoop, ServerClock } from '../stores/clocks.js';
import type { RedisCalls } from '../stores/redis-calls.js';
import type { Flight } from './flights.js';

/** The process itself delayed a call for {@link MAX_DELAY_MS}; the server charged nothing. */
export class CallDelayed extends Error {
  constructor() {
    super('the process lacks CPU, nothing was charged');
    this.name = 'CallDelayed';
  }
}

/** Timers count whole milliseconds and may fire this much early; by then, the server must have stopped charging. */
const EARLY_TIMER_MS = 2;

/** Long enough for a process with a twentieth of a CPU. */
const MAX_DELAY_MS = 1000;

/** More than two readings of the clock differ by. */
const MIN_BLOCKED_MS = 1;

/** Sends calls with their deadline in the server's time. The server ignores calls that it reaches later. */
export class TimedCalls {
  private readonly clock = new ServerClock();
  /**
   * {@link EventLoop.runningMs} until which this process delayed calls: no deadline starts earlier. Otherwise, decisions that
   * waited meanwhile would be late when they are sent.
   */
  delayedUntilMs = Number.NEGATIVE_INFINITY;

  /** @param clockUs replaces the server's clock; its values ascend */
  constructor(
    private readonly calls?: RedisCalls,
    private readonly clockUs?: ClockUs,
  ) {}

  /** Never in the future, microseconds since the Unix epoch; undefined before the server's first reply. */
  serverNowUs(): number | undefined {
    return this.clock.atUs(eventLoop.nowMs());
  }

  /**
   * Sends a call again if the server received it after its deadline and so charged nothing: with the whole deadline if the
   * event loop was blocked, because a process that lacks CPU sends late; otherwise once with the rest, because the estimate of
   * the server's clock may be too conservative.
   * @throws BatchExpired, CallDelayed and errors of `send`
   */
  async exchange<R>(
    flight: Flight,
    send: (options: CallTiming) => Promise<R>,
    nowUsOf: (reply: R) => number | undefined,
  ): Promise<R> {
    const startedMs = eventLoop.nowMs();
    for (let isRepeated = false; ; ) {
      const sentMs = eventLoop.nowMs();
      const sentRunningMs = eventLoop.runningMs(sentMs);
      try {
        const reply = await send(this.timingOf(flight.deadlineAtMs, sentMs));
        const receivedMs = eventLoop.nowMs();
        const nowUs = nowUsOf(reply);
        if (nowUs !== undefined) this.clock.learn(nowUs, sentMs, receivedMs);
        this.calls?.add(
          eventLoop.runningMs(receivedMs) > flight.deadlineAtMs ? 'late' : 'ok',
          receivedMs - sentMs,
        );
        return reply;
      } catch (error) {
        const receivedMs = eventLoop.nowMs();
        this.calls?.add(error instanceof BatchExpired ? 'late' : 'error', receivedMs - sentMs);
        if (!(error instanceof BatchExpired)) throw error;
        this.clock.learn(error.nowUs, sentMs, receivedMs);
        if (flight.isLate) throw error;
        const nowMs = eventLoop.runningMs(receivedMs);
        if (receivedMs - sentMs - (nowMs - sentRunningMs) >= MIN_BLOCKED_MS) {
          if (receivedMs - startedMs >= MAX_DELAY_MS) throw new CallDelayed();
          this.delayedUntilMs = nowMs;
          flight.restart(nowMs);
        } else {
          if (isRepeated || nowMs >= flight.deadlineAtMs) throw error;
          isRepeated = true;
        }
      }
    }
  }

  private timingOf(deadlineAtMs: number, nowMs: number): CallTiming {
    if (this.clockUs !== undefined) return { nowUs: this.clockUs() };
    const leftMs = deadlineAtMs - eventLoop.runningMs(nowMs);
    const expiresAtUs = this.clock.atUs(nowMs + leftMs - EARLY_TIMER_MS);
    return expiresAtUs === undefined ? {} : { expiresAtUs };
  }
}
