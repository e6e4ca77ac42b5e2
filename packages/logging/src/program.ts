import { setTimeout as delay } from 'node:timers/promises';
import { type LogDestination, standardOutput } from './log-destination.js';
import { type Logger, withoutCredentials } from './logger.js';

/** An error at start that the operator can fix; logged without its stack. */
export class StartError extends Error {
  override readonly name: string = 'StartError';
}

/** Maximum time for open requests after the notice of a shutdown. */
export const FINISH_REQUESTS_MS = 2_500;

/** Maximum time after that to record work and close connections. */
const CLOSE_MS = 1_000;

/** Maximum duration of a shutdown: below 10 s, after which supervisors kill, with a notice of up to 6 s. */
export function stopLimitMs(noticeMs = 0): number {
  return Math.max(noticeMs, 6_000) + FINISH_REQUESTS_MS + CLOSE_MS;
}

/** Maximum wait at exit while a full pipe or disk rejects lines. */
const RETRY_LOG_WITHIN_MS = 300;
const RETRY_LOG_AFTER_MS = 20;

/** Maximum wait at exit for the outcome of a write, which is late on a busy machine. */
const WRITE_LOG_WITHIN_MS = 3_000;

export interface Program {
  /** Replaced when the settings are known. */
  logger: Logger;
  /**
   * Called once, on the first stop signal. The process exits with code 0 after it; with code 1 after `withinMs`.
   */
  onStop(stop: (signal: NodeJS.Signals) => Promise<unknown>, withinMs?: number): void;
}

/**
 * Runs a process. SIGTERM and SIGINT end it in bounded time in every state, also while it starts and as process 1 of a
 * container, where signals without a handler have no effect. A failure is one fatal line and exit code 1, except errors
 * of {@link isOfLibrary} after the start, which are logged.
 */
export function runProgram(logger: Logger, start: (program: Program) => Promise<void>): void {
  const output = standardOutput();
  let stop: (signal: NodeJS.Signals) => Promise<unknown> = async () => undefined;
  let stopWithinMs = stopLimitMs();
  let isStopping = false;
  let isStarted = false;
  const program: Program = {
    logger,
    onStop: (work, withinMs = stopLimitMs()) => {
      stop = work;
      stopWithinMs = withinMs;
    },
  };
  const fail = (error: unknown) => {
    logFailure(program.logger, error);
    void exit(output, 1);
  };
  const onSignal = (signal: NodeJS.Signals) => {
    if (isStopping) return;
    isStopping = true;
    program.logger.info({ signal }, 'stopping');
    setTimeout(() => {
      program.logger.error({ stopWithinMs }, 'not stopped in time; exiting');
      void exit(output, 1);
    }, stopWithinMs);
    stop(signal).then(() => exit(output, 0), fail);
  };
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal);
  // Also for rejections that nobody handles.
  process.on('uncaughtException', (error: unknown) => {
    if (isStarted && isOfLibrary(error))
      program.logger.error({ err: error }, 'exception in a callback of a library; continuing');
    else fail(error);
  });
  start(program).then(
    () => {
      isStarted = true;
    },
    (error: unknown) => {
      // While stopping, connections that are still being opened may fail.
      if (!isStopping) fail(error);
    },
  );
}

/**
 * Whether only Node and packages of others are on the stack. Such an error interrupted no function of ours, so our state
 * is consistent, and a caller whose bytes a library cannot parse must not end the process at every replica.
 */
export function isOfLibrary(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const frames = (error.stack ?? '').split('\n').filter((line) => line.startsWith('    at '));
  return frames.length > 0 && frames.every(isFrameOfLibrary);
}

/** By its file, which ends the line. */
const isFrameOfLibrary = (frame: string): boolean =>
  /[( ](?:node:\S+|<anonymous>\)|native\))$/.test(frame) ||
  /\/node_modules\/(?!.*\/?@tollgate[/+])[^(]*$/.test(frame);

/** Logs an error that ends the process: one readable line if its message is enough, otherwise with the stack. */
function logFailure(logger: Logger, error: unknown): void {
  if (error instanceof StartError || (error instanceof Error && 'syscall' in error))
    logger.fatal(inOneLine(withoutCredentials(error.message)));
  else logger.fatal({ err: error }, 'unexpected error; exiting');
}

/** Joins the lines of a list. */
function inOneLine(text: string): string {
  return text.replace(/:\s*\n\s*/g, ': ').replace(/\s*\n\s*/g, '; ');
}

async function exit(output: LogDestination, code: number): Promise<never> {
  const startMs = performance.now();
  const writeLog = async () => {
    while (!(await output.flush()) && performance.now() - startMs < RETRY_LOG_WITHIN_MS)
      await delay(RETRY_LOG_AFTER_MS);
  };
  await Promise.race([writeLog(), delay(WRITE_LOG_WITHIN_MS)]);
  process.exit(code);
}
