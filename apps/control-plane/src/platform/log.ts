import type { LoggerService } from '@nestjs/common';
import { activeTraceId, createLogger as createJsonLogger, type Logger } from '@tollgate/logging';
import type { AppConfig } from '../config/app-config.js';
import { currentLogFields } from './tenant-scope.js';

export type { Logger };

/** A class for injection. */
export abstract class Log {
  abstract debug(facts: object, message: string): void;
  abstract info(facts: object, message: string): void;
  abstract warn(facts: object, message: string): void;
  abstract error(facts: object, message: string): void;
}

/** Lines of a request or job carry its ids. Requests are logged by path only, because headers and queries contain credentials. */
export function createLogger(config: Pick<AppConfig, 'logLevel'>, service = 'control-plane'): Logger {
  return createJsonLogger({ service, level: config.logLevel, context: logFields });
}

function logFields(): object {
  const traceId = activeTraceId();
  return traceId === undefined ? currentLogFields() : { ...currentLogFields(), traceId };
}

export function warnOfInsecurities(log: Log, config: Pick<AppConfig, 'acceptedInsecurities'>): void {
  for (const insecurity of config.acceptedInsecurities) log.warn(insecurity, 'insecure setting allowed');
}

/** Logs messages of Nest; start-up messages at level `debug`. */
export function nestLog(log: Log): LoggerService {
  return {
    log: (message, ...rest) => log.debug({ context: rest.at(-1) }, String(message)),
    warn: (message, ...rest) => log.warn({ context: rest.at(-1) }, String(message)),
    error: (message, ...rest) => log.error({ context: rest.at(-1), detail: rest[0] }, String(message)),
  };
}
