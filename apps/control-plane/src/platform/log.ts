import type { LoggerService } from '@nestjs/common';
import { standardOutput } from '@tollgate/logging';
import { pino } from 'pino';
import type { AppConfig } from '../config/app-config.js';

/** Where the process writes its log: JSON lines on standard output. A class, so that it can be injected. */
export abstract class Log {
  abstract debug(facts: object, message: string): void;
  abstract info(facts: object, message: string): void;
  abstract warn(facts: object, message: string): void;
  abstract error(facts: object, message: string): void;
}

/** The one logger of a process. Requests are logged by their path alone: headers and queries hold credentials. */
export function createLogger(config: Pick<AppConfig, 'logLevel'>) {
  const options = {
    level: config.logLevel,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (level: string) => ({ level }) },
  };
  return pino(options, standardOutput(describeDropped));
}

function describeDropped(count: number): string {
  return JSON.stringify({ level: 'warn', time: new Date().toISOString(), count, msg: 'log lines dropped' });
}

/** Warns of every insecure setting that `ALLOW_INSECURE` accepts. */
export function warnOfInsecurities(log: Log, config: Pick<AppConfig, 'acceptedInsecurities'>): void {
  for (const insecurity of config.acceptedInsecurities) log.warn(insecurity, 'insecure setting allowed');
}

export type Logger = ReturnType<typeof createLogger>;

/** Nest's own messages as lines of our log. Start-up chatter is `debug`: nobody reads it unless something is wrong. */
export function nestLog(log: Log): LoggerService {
  return {
    log: (message, ...rest) => log.debug({ context: rest.at(-1) }, String(message)),
    warn: (message, ...rest) => log.warn({ context: rest.at(-1) }, String(message)),
    error: (message, ...rest) => log.error({ context: rest.at(-1), detail: rest[0] }, String(message)),
  };
}
