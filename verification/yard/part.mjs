import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { notOnPath } from '../../scripts/bootstrap/programs.mjs';

const START_LIMIT_MS = 240_000;
const STOP_LIMIT_MS = 60_000;
const POLL_MS = 50;

/** Waits until `check` returns something truthy, and returns it. A failing check counts as not yet. */
export async function until(what, check, limitMs = START_LIMIT_MS) {
  const end = Date.now() + limitMs;
  let last;
  while (Date.now() < end) {
    try {
      const result = await check();
      if (result) return result;
    } catch (error) {
      last = error;
    }
    await pause(POLL_MS);
  }
  throw new Error(`${what}: not within ${limitMs / 1000} s${last === undefined ? '' : ` (${last.message})`}`);
}

/** One server or app of the yard, which can be stopped, killed and started again. */
export class Part {
  /**
   * @param {{name: string, command: string, args: string[], logFile: string, cwd?: string, env?: NodeJS.ProcessEnv,
   *   uid?: number, isReady: () => Promise<boolean> | boolean}} options
   */
  constructor(options) {
    this.name = options.name;
    this.options = options;
  }

  /** Resolves when it is ready; rejects with the end of its log when it exits first. */
  async start() {
    const { name, command, args, logFile, cwd, env, uid, isReady } = this.options;
    const log = createWriteStream(logFile, { flags: 'a' });
    await once(log, 'open');
    const child = spawn(command, args, {
      cwd,
      env: env ?? process.env,
      uid,
      gid: uid,
      stdio: ['ignore', log, log],
    });
    log.close();
    this.child = child;
    this.ended = once(child, 'exit').catch(() => undefined);
    await once(child, 'spawn').catch((cause) => {
      throw cause.code === 'ENOENT' ? notOnPath(command) : cause;
    });
    await until(`${name} starts`, () => this.hasEnded || isReady());
    if (this.hasEnded) throw new Error(`${name} ended: ${readFileSync(logFile, 'utf8').slice(-2000)}`);
  }

  get hasEnded() {
    const { child } = this;
    return (
      child === undefined || child.pid === undefined || child.exitCode !== null || child.signalCode !== null
    );
  }

  /** @throws Error if it had to be killed */
  async stop(signal = 'SIGTERM') {
    if (this.hasEnded) return;
    this.child.kill(signal);
    const limit = new AbortController();
    const isLate = await Promise.race([
      this.ended.then(() => false),
      pause(STOP_LIMIT_MS, true, { signal: limit.signal, ref: false }),
    ]);
    limit.abort();
    if (isLate) {
      this.child.kill('SIGKILL');
      throw new Error(`${this.name} did not stop within ${STOP_LIMIT_MS / 1000} s`);
    }
  }

  async restart() {
    await this.stop();
    await this.start();
  }
}

/** Whether something listens on the port. */
export async function listens(port) {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

export async function isOk(url) {
  const answer = await fetch(url, { signal: AbortSignal.timeout(2000) });
  await answer.arrayBuffer();
  return answer.status === 200;
}
