import { BatchExpired, type DecideOptions } from '../scripts/decide.js';
import { eventLoop } from './event-loop.js';
import { ServerClock } from './server-clock.js';

/** A timer may fire so much early (it counts whole milliseconds, from one): by then, the server must not charge any more. */
const EARLY_TIMER_MS = 2;

/** One call on its way. */
export class Flight {
  /** {@link EventLoop.runningMs}, as all times here. */
  readonly sentMs = eventLoop.runningMs();
  isLate = false;

  constructor(readonly deadlineAtMs: number) {}

  /** Runs the call to its end; `giveUp` is told once, if the deadline comes before that. */
  async run(call: () => Promise<void>, giveUp: () => void): Promise<void> {
    let hasLanded = false;
    const look = () => {
      if (hasLanded) return;
      if (eventLoop.runningMs() < this.deadlineAtMs) {
        wait();
        return;
      }
      this.isLate = true;
      giveUp();
    };
    let timer: NodeJS.Timeout | undefined;
    // The event loop reads the sockets before it runs the immediate: an answer that has arrived still counts.
    const wait = () => {
      const leftMs = Math.max(0, this.deadlineAtMs - eventLoop.runningMs());
      timer = setTimeout(() => setImmediate(look), leftMs);
    };
    wait();
    await call();
    hasLanded = true;
    clearTimeout(timer);
  }
}

/** Sends calls that carry their deadline in the server's time: one that the server reaches later changes nothing. */
export class TimedCalls {
  private readonly clock = new ServerClock();

  /** The server's time now or a little before, microseconds since the Unix epoch; undefined before its first reply. */
  serverNowUs(): number | undefined {
    return this.clock.atUs(performance.now());
  }

  /**
   * Sends once, and once more what the server took for too late by an estimate of its clock that was too careful.
   * @param deadlineAtMs {@link EventLoop.runningMs}
   * @param nowUsOf the server's time in a reply
   * @throws BatchExpired and whatever `send` throws
   */
  async exchange<R>(
    deadlineAtMs: number,
    send: (options: DecideOptions) => Promise<R>,
    nowUsOf: (reply: R) => number,
  ): Promise<R> {
    for (let attempt = 1; ; attempt++) {
      const sentMs = performance.now();
      try {
        const reply = await send(this.expiryAt(deadlineAtMs));
        this.clock.learn(nowUsOf(reply), sentMs, performance.now());
        return reply;
      } catch (error) {
        if (!(error instanceof BatchExpired)) throw error;
        const receivedMs = performance.now();
        this.clock.learn(error.nowUs, sentMs, receivedMs);
        if (attempt === 2 || eventLoop.runningMs() >= deadlineAtMs) throw error;
      }
    }
  }

  private expiryAt(deadlineAtMs: number): DecideOptions {
    const leftMs = deadlineAtMs - eventLoop.runningMs();
    const expiresAtUs = this.clock.atUs(performance.now() + leftMs - EARLY_TIMER_MS);
    return expiresAtUs === undefined ? {} : { expiresAtUs };
  }
}
