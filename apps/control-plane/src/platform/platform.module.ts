import { type DynamicModule, Module } from '@nestjs/common';
import type { AppConfig } from '../config/app-config.js';
import { configModule } from '../config/config.module.js';
import { AccessChangesModule } from './access/access-changes.js';
import { ChangesModule } from './changes/changes.module.js';
import { ClockModule } from './clock/clock.js';
import { EventsModule } from './events/events.module.js';
import { IdempotencyModule } from './idempotency/idempotency.module.js';
import type { Logger } from './logging/log.js';
import { loggingModule } from './logging/logging.module.js';
import { PrismaModule } from './prisma/prisma.module.js';
import { QueueModule } from './queue/queue.module.js';
import { RedisModule } from './redis/redis.module.js';
import { SecretsModule } from './secrets/secrets.module.js';

@Module({})
class PlatformModule {}

/** What every process of the control plane needs: settings, log, Postgres, Redis, the queue. */
export function platformModule(config: AppConfig, logger: Logger): DynamicModule {
  return {
    module: PlatformModule,
    imports: [
      configModule(config),
      loggingModule(logger),
      PrismaModule,
      RedisModule,
      QueueModule,
      ClockModule,
      SecretsModule,
      ChangesModule,
      AccessChangesModule,
      IdempotencyModule,
      EventsModule,
    ],
  };
}
