import { type DynamicModule, Module } from '@nestjs/common';
import { Log, type Logger } from './log.js';

@Module({})
class LoggingModule {}

/** Hands the logger of the process to every module. */
export function loggingModule(logger: Logger): DynamicModule {
  return {
    module: LoggingModule,
    global: true,
    providers: [{ provide: Log, useValue: logger }],
    exports: [Log],
  };
}
