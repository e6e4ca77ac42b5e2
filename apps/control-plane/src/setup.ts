import 'reflect-metadata';
import { fileURLToPath } from 'node:url';
import { NestFactory } from '@nestjs/core';
import { migrateDeploy, prepareApplication } from '@tollgate/database';
import { ConfigError, loadSetupConfig } from './config/app-config.js';
import { createLogger, nestLog, warnOfInsecurities } from './platform/log.js';
import { setupModule } from './setup/setup.module.js';
import { readSetupState, SetupService, writeSetupState } from './setup/setup.service.js';

const MIGRATIONS = fileURLToPath(new URL('../../../prisma/migrations', import.meta.url));

try {
  const { config, migrationUrl, stateFile, demoSeed } = loadSetupConfig();
  const logger = createLogger(config);
  warnOfInsecurities(logger, config);
  const state = readSetupState(stateFile);
  const migrations = await migrateDeploy(migrationUrl, MIGRATIONS);
  await prepareApplication(migrationUrl, config.databaseUrl, config.databaseScopeSecrets);
  const app = await NestFactory.createApplicationContext(setupModule(config, logger), {
    logger: nestLog(logger),
    abortOnError: false,
  });
  writeSetupState(stateFile, await app.get(SetupService, { strict: false }).run(state, { demoSeed }));
  await app.close();
  logger.info({ migrations, demoSeed }, 'set-up done');
} catch (error) {
  console.error(error instanceof ConfigError ? error.message : error);
  process.exit(1);
}
