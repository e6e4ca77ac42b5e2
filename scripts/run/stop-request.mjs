import { readFileSync } from 'node:fs';
import { endRunningCommands } from './run-command.mjs';

const CHECK_EVERY_MS = 500;

/** Calls back when the parent is gone: a killed npm cannot forward the signal. Only under npm or our own wrapper. */
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

/** npm is the parent of the shell that runs a script. Undefined without shell or /proc. */
function parentOfShell(pid) {
  try {
    const [, name, rest] = /^\d+ \((.*)\) (.*)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'));
    return /^(ba|da|z|k)?sh$/.test(name) ? Number(rest.split(' ')[1]) : undefined;
  } catch {
    return undefined;
  }
}

// One Ctrl-C can arrive twice: from the terminal and from the parent program.
const SAME_REQUEST_MS = 1_500;

/** Thrown between two steps after a stop request. */
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
  requested = new Promise((resolve) => {
    this.#resolve = resolve;
  });

  /** @param {() => void} onImpatience called when the request is repeated */
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

  /** @throws StopRequested */
  check() {
    if (this.isRequested) throw new StopRequested();
  }
}
