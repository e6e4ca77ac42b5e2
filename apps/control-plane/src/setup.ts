import 'reflect-metadata';
import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { NestFactory } from '@nestjs/core';
import { DeploymentError, deployDatabase } from '@tollgate/database';
import { describeError, StartError } from '@tollgate/logging';
import { loadSetupConfig } from './config/app-config.js';
import { createLogger, nestLog, warnOfInsecurities } from './platform/log.js';
import { readDemoData } from './setup/demo-data.js';
import { DemoReplay } from './setup/demo-replay.js';
import { LIMIT_ORDER_MIGRATION, LimitOrderCheck } from './setup/limit-order.js';
import { setupModule } from './setup/setup.module.js';
import { readSetupState, SetupService, writeSetupState } from './setup/setup.service.js';

/** Below that of the servers. */
const LOW_PRIORITY = 10;

const MIGRATIONS = fileURLToPath(new URL('../../../prisma/migrations', import.meta.url));

try {
  const resolve = readFlags();
  const { config, migrationUrl, admin, stateFile, demoSeed, historyDays } = loadSetupConfig();
  const logger = createLogger(config, 'setup');
  warnOfInsecurities(logger, config);
  const state = readSetupState(stateFile, admin);
  const migrations = await deployDatabase({
    ownerUrl: migrationUrl,
    appUrl: config.databaseUrl,
    migrationsDir: MIGRATIONS,
    scopeSecrets: config.databaseScopeSecrets,
    requiresRestrictedLogin: config.isProduction && !config.allowInsecure.has('database-login'),
    resolve,
  });
  const app = await NestFactory.createApplicationContext(setupModule(config, logger), {
    logger: nestLog(logger),
    abortOnError: false,
  });
  if (migrations.includes(LIMIT_ORDER_MIGRATION)) {
    for (const limit of await app.get(LimitOrderCheck, { strict: false }).listReordered())
      logger.warn(limit, 'limit changes: bought and rolled-over units follow overrides and boosts');
  }
  const setup = app.get(SetupService, { strict: false });
  if (stateFile === undefined) await setup.ensureOwner(state.admin);
  else writeSetupState(stateFile, await setup.run(state, { demoSeed }), admin !== undefined);
  await setup.renameTimeZones();
  const offers = await setup.listUnconfirmedPrices();
  if (offers.length > 0) logger.warn({ offers }, 'offers are not for sale until their prices are confirmed');
  logger.info({ migrations, demoSeed }, 'set-up done');
  // The starter goes on; without it, Postgres is about to stop.
  process.once('disconnect', () => process.exit(1)).channel?.unref();
  process.send?.('done');
  if (demoSeed && historyDays > 0) {
    setPriority(LOW_PRIORITY);
    await app.get(DemoReplay, { strict: false }).run(readDemoData(), historyDays);
  }
  await app.close();
} catch (error) {
  const isExplained = error instanceof StartError || error instanceof DeploymentError;
  // An error of a Redis client contains its password.
  console.error(isExplained ? error.message : describeError(error));
  process.exit(1);
}

/** Whether `--resolve` is given. @throws StartError for other arguments */
function readFlags(): boolean {
  try {
    return parseArgs({ options: { resolve: { type: 'boolean', default: false } } }).values.resolve;
  } catch {
    throw new StartError('The only argument of setup is --resolve.');
  }
}
