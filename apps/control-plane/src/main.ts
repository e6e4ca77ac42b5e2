import 'reflect-metadata';
import { createApp } from './app.js';
import { ConfigError, loadConfig } from './config/app-config.js';
import { createLogger, warnOfInsecurities } from './platform/log.js';
import { Metrics } from './platform/metrics/metrics.js';

try {
  const config = loadConfig();
  const logger = createLogger(config);
  warnOfInsecurities(logger, config);
  const app = await createApp(config, logger);
  await app.get(Metrics, { strict: false }).listen();
  await app.listen(config.port, config.host);
  logger.info({ url: config.publicOrigin, worker: config.worker }, 'control plane ready');
} catch (error) {
  console.error(error instanceof ConfigError ? error.message : error);
  process.exit(1);
}
