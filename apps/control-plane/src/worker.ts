import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { ConfigError, loadConfig } from './config/app-config.js';
import { createLogger, nestLog, warnOfInsecurities } from './platform/log.js';
import { Metrics } from './platform/metrics/metrics.js';
import { workerModule } from './worker.module.js';

try {
  const config = loadConfig();
  const logger = createLogger(config);
  warnOfInsecurities(logger, config);
  const app = await NestFactory.createApplicationContext(workerModule(config, logger), {
    logger: nestLog(logger),
    abortOnError: false,
  });
  await app.get(Metrics, { strict: false }).listen();
  app.enableShutdownHooks();
  logger.info({}, 'worker ready');
} catch (error) {
  console.error(error instanceof ConfigError ? error.message : error);
  process.exit(1);
}
