import { pino } from 'pino';
import { standardOutput } from './log-destination.js';

export type Logger = ReturnType<typeof createLogger>;

export interface LoggerOptions {
  /** `decision-api`, `control-plane`, `worker` or `setup`. */
  readonly service: string;
  readonly level: pino.LevelWithSilent;
  /** Fields of every line. */
  readonly fields?: Readonly<Record<string, string | number>>;
  /** Fields of the current request or job; fields of a line itself take precedence. */
  readonly context?: () => object;
  /** Default: standard output, without blocking. */
  readonly destination?: pino.DestinationStream;
}

/** Writes lines of JSON with `level`, `time`, `service` and `msg`. @see docs/operate/logs.md */
export function createLogger({ service, level, fields, context, destination }: LoggerOptions) {
  const base = { service, ...fields };
  const describeDropped = (count: number) =>
    JSON.stringify({
      level: 'warn',
      time: new Date().toISOString(),
      ...base,
      count,
      msg: 'log lines dropped',
    });
  const options: pino.LoggerOptions = {
    level,
    base,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    serializers: { err: describeError },
    // A copy, because pino adds the fields of the line to it.
    ...(context === undefined ? {} : { mixin: () => ({ ...context() }) }),
  };
  return pino(options, destination ?? standardOutput(describeDropped));
}

interface DescribedError {
  readonly type: string;
  readonly message: string;
  readonly code?: string;
  readonly stack?: string;
  readonly cause?: DescribedError;
}

const MAX_CAUSES = 5;

/**
 * The known fields of an error. Others can contain secrets: a failed AUTH of ioredis holds the password, an invalid URL holds
 * itself.
 */
export function describeError(error: unknown, causes = MAX_CAUSES): DescribedError {
  if (!(error instanceof Error)) return { type: typeof error, message: withoutCredentials(String(error)) };
  const { name, message, stack, cause, code } = error as Error & { code?: unknown };
  return {
    type: name,
    message: withoutCredentials(message),
    ...(code === undefined ? {} : { code: String(code) }),
    ...(stack === undefined ? {} : { stack: withoutCredentials(stack) }),
    ...(cause === undefined || causes === 0 ? {} : { cause: describeError(cause, causes - 1) }),
  };
}

/** Masks user and password of URLs in a text. */
export function withoutCredentials(text: string): string {
  return text.replace(/(\/\/)[^\s/@]+@/g, '$1***@');
}

/** Host and port of a URL; of several hosts, all of them. Never user, password or query. */
export function addressOf(url: string): string {
  return /\/\/(?:[^\s/?#]*@)?([^\s/?#]*)/.exec(url)?.[1] ?? '';
}
