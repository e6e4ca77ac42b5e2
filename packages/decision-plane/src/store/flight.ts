import { BatchExpired, type DecideOptions } from '../scripts/decide.js';
import { ServerClock } from './server-clock.js';

/** A timer may fire so much early (it counts whole milliseconds, from one): by then, the server must not charge any more. */
const EARLY_TIMER_MS = 2;

/** One call on its way. */
export class Flight {
  readonly sentMs = performance.now();
  isLate = false;

  /** @param deadlineAtMs `performance.now()` */
  constructor(readonly deadlineAtMs: number) {}

  /** Runs the call to its end; `giveUp` is told once, if the deadline comes before that. */
  async run(call: () => Promise<void>, giveUp: () => void): Promise<void> {
    let hasLanded = false;
    const lookOnce = () => {
      if (hasLanded) return;
      this.isLate = true;
      giveUp();
    };
    // After a pause of our own process the answer may lie in the socket unread: look there before giving up.
    const timer = setTimeout(() => setImmediate(lookOnce), Math.max(0, this.deadlineAtMs - this.sentMs));
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
        if (attempt === 2 || receivedMs >= deadlineAtMs) throw error;
      }
    }
  }

  private expiryAt(deadlineAtMs: number): DecideOptions {
    const expiresAtUs = this.clock.atUs(deadlineAtMs - EARLY_TIMER_MS);
    return expiresAtUs === undefined ? {} : { expiresAtUs };
  }
}
