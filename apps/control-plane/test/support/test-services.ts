import 'reflect-metadata';
import { type INestApplicationContext, Module, type ModuleMetadata } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { createTestDatabase } from '@tollgate/test-kit';
import type { AppConfig } from '../../src/config/app-config.js';
import { createLogger } from '../../src/platform/log.js';
import { platformModule } from '../../src/platform/platform.module.js';
import { createPolicyRedis, testConfig } from './test-app.js';

/**
 * Services with their own database and Redis, without HTTP server and workers; `more` are additional environment
 * variables.
 */
export interface TestServices {
  context: INestApplicationContext;
  config: AppConfig;
  /** URL of the superuser that owns the tables. */
  ownerUrl: string;
  redisUrl: string;
  stop(): Promise<void>;
}

export async function startTestServices(
  imports: NonNullable<ModuleMetadata['imports']>,
  more: Record<string, string> = {},
): Promise<TestServices> {
  const [database, redis] = await Promise.all([createTestDatabase(), createPolicyRedis()]);
  const config = testConfig({ databaseUrl: database.url, redisUrl: redis.url }, more);

  @Module({ imports: [platformModule(config, createLogger(config)), ...imports] })
  class TestModule {}

  const context = await NestFactory.createApplicationContext(TestModule, { logger: false });
  return {
    context,
    config,
    ownerUrl: database.ownerUrl,
    redisUrl: redis.url,
    stop: async () => {
      await context.close();
      await Promise.all([redis.stop(), database.drop()]);
    },
  };
}
