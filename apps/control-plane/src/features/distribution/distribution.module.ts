import { Module } from '@nestjs/common';
import { PolicyPublisher } from '@tollgate/decision-plane';
import { RedisConnections } from '../../platform/redis/redis-connections.js';
import { DistributionResolver } from './distribution.resolver.js';
import { DistributionService } from './distribution.service.js';
import { OutboxRepository } from './outbox.repository.js';
import { PolicyRepository } from './policy.repository.js';
import { PublishPolicyProcessor } from './publish-policy.processor.js';
import { RelayService } from './relay.service.js';
import { RelaySchedule } from './relay-schedule.js';

/** The relay, without anything that starts it. */
@Module({
  providers: [
    OutboxRepository,
    PolicyRepository,
    RelayService,
    {
      provide: PolicyPublisher,
      inject: [RedisConnections],
      useFactory: (redis: RedisConnections) => new PolicyPublisher(redis.config),
    },
  ],
  exports: [RelayService, OutboxRepository],
})
export class RelayModule {}

/** What a process needs that runs the relay's jobs. */
@Module({ imports: [RelayModule], providers: [PublishPolicyProcessor, RelaySchedule] })
export class RelayWorkerModule {}

/** Nodes and propagation for the GraphQL door. */
@Module({ imports: [RelayModule], providers: [DistributionService, DistributionResolver] })
export class DistributionModule {}
