import { onStarterGone } from './parent-watch.mjs';
import { endRunningCommands } from './run-command.mjs';

// From a terminal one Ctrl-C can arrive twice: directly and through the program that started us.
const SAME_REQUEST_MS = 1_500;

/** Thrown between two steps once somebody has asked us to stop. */
export class StopRequested extends Error {
  constructor() {
    super('stopped on request');
    this.name = 'StopRequested';
  }
}

/** Turns Ctrl-C, SIGTERM, SIGHUP and the end of npm into one request to stop. */
export class StopRequest {
  #requestedAt;
  #resolve;
  /** Resolves when a stop is asked for. */
  requested = new Promise((resolve) => {
    this.#resolve = resolve;
  });

  /** @param {() => void} onImpatience called when the request is repeated later on */
  constructor(onImpatience = () => process.exit(1)) {
    const ask = () => {
      const now = Date.now();
      if (this.#requestedAt !== undefined) {
        if (now - this.#requestedAt <= SAME_REQUEST_MS) return;
        endRunningCommands('SIGKILL');
        onImpatience();
        return;
      }
      this.#requestedAt = now;
      endRunningCommands();
      this.#resolve();
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, ask);
    onStarterGone(ask);
  }

  get isRequested() {
    return this.#requestedAt !== undefined;
  }

  /** @throws StopRequested when a stop has been asked for */
  check() {
    if (this.isRequested) throw new StopRequested();
  }
}
