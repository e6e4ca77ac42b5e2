import type { LoggerService } from '@nestjs/common';
import { standardOutput } from '@tollgate/logging';
import { pino } from 'pino';
import type { AppConfig } from '../config/app-config.js';

/** JSON lines on standard output. A class for injection. */
export abstract class Log {
  abstract debug(facts: object, message: string): void;
  abstract info(facts: object, message: string): void;
  abstract warn(facts: object, message: string): void;
  abstract error(facts: object, message: string): void;
}

/** Requests are logged by path only, because headers and queries contain credentials. */
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

export function warnOfInsecurities(log: Log, config: Pick<AppConfig, 'acceptedInsecurities'>): void {
  for (const insecurity of config.acceptedInsecurities) log.warn(insecurity, 'insecure setting allowed');
}

export type Logger = ReturnType<typeof createLogger>;

/** Logs messages of Nest; start-up messages at level `debug`. */
export function nestLog(log: Log): LoggerService {
  return {
    log: (message, ...rest) => log.debug({ context: rest.at(-1) }, String(message)),
    warn: (message, ...rest) => log.warn({ context: rest.at(-1) }, String(message)),
    error: (message, ...rest) => log.error({ context: rest.at(-1), detail: rest[0] }, String(message)),
  };
}
