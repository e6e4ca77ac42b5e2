import { type DynamicModule, Module } from '@nestjs/common';
import { AppConfig } from '../config/app-config.js';
import { AccessChanges, CurrentActors } from './access/current-actors.js';
import { ChangeRunner } from './changes/change.js';
import { PolicyCommands, Reversals } from './changes/policy-commands.js';
import { Clock } from './clock.js';
import { EventBus } from './events.js';
import { PointsMeter } from './graphql/cost/points-meter.js';
import { Health } from './http/health.js';
import { IdempotencyRepository } from './idempotency/idempotency.repository.js';
import { IdempotencyKeys, IdempotencyRetentionJob } from './idempotency/idempotency-keys.js';
import { Installation } from './installation/installation.js';
import { PolicyQueue, RelayTrigger } from './jobs/queues.js';
import { Log, type Logger } from './log.js';
import { Metrics } from './metrics/metrics.js';
import { Database } from './prisma/database.js';
import { DatabaseLogin } from './prisma/database-login.js';
import { RedisConnections } from './redis.js';
import { SealedSecrets } from './secrets.js';

@Module({})
class PlatformModule {}

const SHARED = [
  Database,
  RedisConnections,
  PolicyQueue,
  RelayTrigger,
  Clock,
  SealedSecrets,
  ChangeRunner,
  PolicyCommands,
  Reversals,
  AccessChanges,
  CurrentActors,
  IdempotencyKeys,
  EventBus,
  Installation,
  Metrics,
  Health,
  PointsMeter,
];

/** Providers of every process: settings, log, Postgres, Redis, queues, changes. */
export function platformModule(config: AppConfig, logger: Logger): DynamicModule {
  const given = [
    { provide: AppConfig, useValue: config },
    { provide: Log, useValue: logger },
  ];
  return {
    module: PlatformModule,
    global: true,
    providers: [...given, ...SHARED, DatabaseLogin, IdempotencyRepository, IdempotencyRetentionJob],
    exports: [AppConfig, Log, ...SHARED],
  };
}
