import type { ShedReason } from '../metrics/door-metrics.js';

/** What a process takes in unless it is told otherwise: at 20,000 requests a second, twice what the counters' deadline holds up. */
export const DEFAULT_MAX_IN_FLIGHT = 1024;

export interface AdmissionOptions {
  /** Requests that may be in work at once; beyond that they would only wait for each other. */
  maxInFlight?: number;
  /** How long one turn of the event loop may go on taking in requests, ms: later ones would be answered too late anyway. */
  maxTurnMs?: number;
}

const DEFAULT_MAX_TURN_MS = 25;

/**
 * Says which requests are taken in. One that is not is turned away at once, unread: a queue would make everybody late, and
 * those at its end so late that their answer is of no use.
 */
export class Admission {
  private readonly maxInFlight: number;
  private readonly maxTurnMs: number;
  private inFlight = 0;
  private turnBeganMs: number | undefined;

  constructor({
    maxInFlight = DEFAULT_MAX_IN_FLIGHT,
    maxTurnMs = DEFAULT_MAX_TURN_MS,
  }: AdmissionOptions = {}) {
    this.maxInFlight = maxInFlight;
    this.maxTurnMs = maxTurnMs;
  }

  /** Requests in work. */
  get load(): number {
    return this.inFlight;
  }

  /** @returns why the request is turned away; undefined: it is in work until `leave` is called */
  enter(nowMs: number): ShedReason | undefined {
    if (this.turnBeganMs === undefined) {
      this.turnBeganMs = nowMs;
      setImmediate(this.endTurn);
    }
    if (this.inFlight >= this.maxInFlight) return 'in_flight';
    if (nowMs - this.turnBeganMs > this.maxTurnMs) return 'busy';
    this.inFlight++;
    return undefined;
  }

  leave(): void {
    this.inFlight--;
  }

  private readonly endTurn = () => {
    this.turnBeganMs = undefined;
  };
}
