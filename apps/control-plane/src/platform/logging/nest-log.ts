import type { LoggerService } from '@nestjs/common';
import type { Log } from './log.js';

/** Nest's own messages as lines of our log. Start-up chatter is `debug`: nobody reads it unless something is wrong. */
export function nestLog(log: Log): LoggerService {
  return {
    log: (message, ...rest) => log.debug({ context: rest.at(-1) }, String(message)),
    warn: (message, ...rest) => log.warn({ context: rest.at(-1) }, String(message)),
    error: (message, ...rest) => log.error({ context: rest.at(-1), detail: rest[0] }, String(message)),
  };
}
