import { Args, Mutation, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import type { Caller } from '../../../platform/access/actor.js';
import {
  CurrentCaller,
  RequireTenantPermission,
} from '../../../platform/access/require-permission.decorator.js';
import { payloadOf } from '../../../platform/changes/outcome.js';
import { Input } from '../../../platform/graphql/mutation.graphql.js';
import {
  AlertThreshold,
  AlertThresholdRemoveInput,
  AlertThresholdSetInput,
  AlertThresholdsPayload,
} from './alerts.graphql.js';
import type { AlertThresholdRow } from './alerts.repository.js';
import { AlertsService } from './alerts.service.js';

@Resolver(() => AlertThreshold)
export class AlertsResolver {
  constructor(private readonly service: AlertsService) {}

  @RequireTenantPermission('tenants:read', 'tenantKey')
  @Query(() => [AlertThreshold], {
    name: 'alertThresholds',
    description:
      'Alert thresholds of a tenant, those for all APIs first. Empty: 80 and 100 percent of every limit.',
  })
  list(
    @Args('tenantKey', { description: 'Key of the tenant.' }) tenantKey: string,
  ): Promise<AlertThresholdRow[]> {
    return this.service.list(tenantKey);
  }

  @RequireTenantPermission('alerts:write', 'input.tenantKey')
  @Mutation(() => AlertThresholdsPayload, {
    name: 'alertThresholdSet',
    description: 'Sets the thresholds for all APIs, one API or one limit.',
  })
  async set(@Input() input: AlertThresholdSetInput, @CurrentCaller() caller: Caller) {
    return payloadOf('alertThresholds', await this.service.set(caller, input));
  }

  @RequireTenantPermission('alerts:write', 'input.tenantKey')
  @Mutation(() => AlertThresholdsPayload, {
    name: 'alertThresholdRemove',
    description: 'Removes a setting. The next broader setting applies, or 80 and 100 percent.',
  })
  async remove(@Input() input: AlertThresholdRemoveInput, @CurrentCaller() caller: Caller) {
    return payloadOf('alertThresholds', await this.service.remove(caller, input));
  }

  @ResolveField(() => String, { nullable: true })
  apiKey(@Parent() { apiKey }: AlertThresholdRow): string | null {
    return apiKey === '' ? null : apiKey;
  }

  @ResolveField(() => String, { nullable: true })
  limitName(@Parent() { limitName }: AlertThresholdRow): string | null {
    return limitName === '' ? null : limitName;
  }
}
