import { Module } from '@nestjs/common';
import { PolicyPublisher, PolicySweeper } from '@tollgate/decision-plane/operate';
import { PolicySigner, PolicyVerifier } from '@tollgate/policy';
import { AppConfig } from '../../config/app-config.js';
import { RedisConnections } from '../../platform/redis.js';
import { DistributionRetentionJob, NodeRegistryJob, PolicySweepJob } from './distribution.jobs.js';
import { DistributionResolver, NodesResolver, PropagationStreamResolver } from './distribution.resolver.js';
import { NodesRepository } from './nodes.repository.js';
import { NodesService } from './nodes.service.js';
import { PolicyRepository } from './policy.repository.js';
import { PropagationFeed, PropagationService } from './propagation.js';
import { PublishPolicyProcessor, RelaySchedule, RelayService } from './relay.js';
import { OutboxRepository, RevisionsRepository } from './revisions.repository.js';

const signerOf = ({ policySigningKey }: AppConfig) =>
  policySigningKey === undefined ? undefined : new PolicySigner(policySigningKey);

/** The relay without its schedule. */
@Module({
  providers: [
    OutboxRepository,
    RevisionsRepository,
    PolicyRepository,
    RelayService,
    NodesRepository,
    PropagationService,
    {
      provide: PolicyPublisher,
      inject: [RedisConnections, AppConfig],
      useFactory: (redis: RedisConnections, config: AppConfig) =>
        new PolicyPublisher(redis.config, signerOf(config)),
    },
    {
      provide: PolicySweeper,
      inject: [RedisConnections, AppConfig],
      useFactory: (redis: RedisConnections, config: AppConfig) => {
        const signer = signerOf(config);
        return new PolicySweeper(
          redis.config,
          new PolicyVerifier(signer === undefined ? 'unsigned' : [signer.publicKey]),
        );
      },
    },
  ],
  exports: [
    PropagationService,
    RelayService,
    OutboxRepository,
    RevisionsRepository,
    PolicyRepository,
    NodesRepository,
    PolicySweeper,
  ],
})
export class RelayModule {}

@Module({
  imports: [RelayModule],
  providers: [
    PublishPolicyProcessor,
    RelaySchedule,
    NodeRegistryJob,
    DistributionRetentionJob,
    PolicySweepJob,
  ],
})
export class RelayWorkerModule {}

@Module({
  imports: [RelayModule],
  providers: [DistributionResolver, PropagationFeed, PropagationStreamResolver, NodesService, NodesResolver],
  exports: [PropagationFeed],
})
export class DistributionModule {}
