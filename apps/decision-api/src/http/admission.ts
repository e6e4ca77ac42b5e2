/** What a process takes in unless it is told otherwise: at 20,000 requests a second, what it answers within 50 ms. */
export const DEFAULT_MAX_IN_FLIGHT = 1024;

/** The same of Envoy's door: at 50,000 a second, what it answers within the 20 ms that Envoy waits. */
export const DEFAULT_RLS_MAX_IN_FLIGHT = 1024;

/**
 * Says which requests of a door are taken in. One that is not is turned away at once, unread: a queue
 * would make everybody late, and those at its end so late that their answer is of no use. As all that is in work shares the event
 * loop, this also bounds how long one turn of it takes.
 */
export class Admission {
  private inFlight = 0;

  /** @param maxInFlight requests that may be in work at once */
  constructor(private readonly maxInFlight: number) {}

  /** Whether a request would be turned away now. */
  get isFull(): boolean {
    return this.inFlight >= this.maxInFlight;
  }

  /** @returns false: the request is turned away; true: it is in work until `leave` is called */
  enter(): boolean {
    if (this.isFull) return false;
    this.inFlight++;
    return true;
  }

  leave(): void {
    this.inFlight--;
  }
}
