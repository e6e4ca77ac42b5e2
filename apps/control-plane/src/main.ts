import 'reflect-metadata';
import type { AddressInfo } from 'node:net';
import { runProgram, stopLimitMs } from '@tollgate/logging';
import { createApp, stopApp } from './app.js';
import { loadConfig } from './config/app-config.js';
import { createLogger, warnOfInsecurities } from './platform/log.js';
import { Metrics } from './platform/metrics/metrics.js';
import { traceProcess } from './platform/tracing.js';

runProgram(createLogger({ logLevel: 'info' }), async (program) => {
  const config = loadConfig();
  const logger = createLogger(config);
  program.logger = logger;
  warnOfInsecurities(logger, config);
  await traceProcess(config, 'control-plane', logger);
  const app = await createApp(config, logger);
  await app.get(Metrics, { strict: false }).listen();
  program.onStop(() => stopApp(app, config), stopLimitMs(config.drainNoticeMs));
  await app.listen(config.port, config.host);
  const { port } = app.getHttpServer().address() as AddressInfo;
  logger.info({ url: config.publicOrigin, port, worker: config.worker }, 'control plane ready');
});
