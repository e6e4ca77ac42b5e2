import { readFileSync } from 'node:fs';
import { endRunningCommands } from './run-command.mjs';

const CHECK_EVERY_MS = 500;

/**
 * Calls back when the program that started us is gone: a killed npm cannot pass its end on, and what we started would
 * stay behind. Only under npm or our own wrapper; a script started from a shell may outlive the shell.
 */
export function onStarterGone(callback) {
  if (!process.env.npm_lifecycle_event && !process.env.TOLLGATE_WRAPPED) return;
  const parent = process.ppid;
  const npm = parentOfShell(parent);
  const timer = setInterval(() => {
    if (process.ppid === parent && parentOfShell(parent) === npm) return;
    clearInterval(timer);
    callback();
  }, CHECK_EVERY_MS);
  timer.unref();
}

/** npm runs scripts in a shell, which outlives it: then npm is the shell's parent. Undefined without shell or /proc. */
function parentOfShell(pid) {
  try {
    const [, name, rest] = /^\d+ \((.*)\) (.*)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'));
    return /^(ba|da|z|k)?sh$/.test(name) ? Number(rest.split(' ')[1]) : undefined;
  } catch {
    return undefined;
  }
}

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
