import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { runProgram } from '@tollgate/logging';
import { loadConfig } from './config/app-config.js';
import { createLogger, nestLog, warnOfInsecurities } from './platform/log.js';
import { Metrics } from './platform/metrics/metrics.js';
import { endTracing, traceProcess } from './platform/tracing.js';
import { workerModule } from './worker.module.js';

const SERVICE = 'worker';

runProgram(createLogger({ logLevel: 'info' }, SERVICE), async (program) => {
  const config = loadConfig();
  const logger = createLogger(config, SERVICE);
  program.logger = logger;
  warnOfInsecurities(logger, config);
  await traceProcess(config, SERVICE, logger);
  const app = await NestFactory.createApplicationContext(workerModule(config, logger), {
    logger: nestLog(logger),
    abortOnError: false,
  });
  program.onStop(() => app.close().then(endTracing));
  await app.get(Metrics, { strict: false }).listen();
  logger.info({}, 'worker ready');
});
