/** Why Tollgate could not be asked. */
export interface Unavailable {
  /**
   * `timeout`: no answer within `timeoutMs`. `network`: no connection. `server`: it said that it cannot decide now (5xx, 429).
   * `unreadable`: what answered is not Tollgate.
   */
  cause: 'timeout' | 'network' | 'server' | 'unreadable';
  message: string;
}

/** Thrown inside of the SDK only: callers see an {@link Unavailable}. */
export class UnavailableError extends Error {
  constructor(
    readonly why: Unavailable['cause'],
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }

  toUnavailable(): Unavailable {
    return { cause: this.why, message: this.message };
  }
}
