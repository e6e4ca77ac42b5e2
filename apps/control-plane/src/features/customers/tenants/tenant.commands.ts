import { Injectable, type OnModuleInit } from '@nestjs/common';
import { tenantInputOf } from '../../../platform/changes/audit-trail.js';
import { PolicyCommands } from '../../../platform/changes/policy-commands.js';
import { TenantStatus } from '../../../platform/prisma/schema.js';
import { readFloors } from './tenant-record.repository.js';
import type {
  TenantFloorsSetInput,
  TenantStatusInput,
  TenantTierChangeInput,
  TenantUpdateInput,
} from './tenants.graphql.js';
import { TenantsRepository } from './tenants.repository.js';
import { TenantsService } from './tenants.service.js';

/** Change set commands for tenants. */
@Injectable()
export class TenantCommands implements OnModuleInit {
  constructor(
    private readonly commands: PolicyCommands,
    private readonly service: TenantsService,
    private readonly tenants: TenantsRepository,
  ) {}

  onModuleInit(): void {
    this.commands.register<TenantUpdateInput>({
      name: 'tenantUpdate',
      action: 'tenant.update',
      inputOf: tenantInputOf,
      inputType: 'TenantUpdateInput',
      permission: 'tenants:write',
      run: async (caller, { tx }, input) =>
        this.service.update(caller, await this.tenants.withVersion(tx, input)),
      revert: ({ tenantKey }, [done]) => [{ command: 'tenantUpdate', input: { tenantKey, ...done?.before } }],
    });
    this.commands.register<TenantTierChangeInput>({
      name: 'tenantTierChange',
      action: 'tenant.tierChange',
      inputOf: tenantInputOf,
      inputType: 'TenantTierChangeInput',
      permission: 'subscriptions:write',
      run: async (caller, { tx }, input) =>
        this.service.changeTier(caller, await this.tenants.withVersion(tx, input)),
      revert: ({ tenantKey }, [done]) => [
        { command: 'tenantTierChange', input: { tenantKey, ...done?.before } },
      ],
    });
    this.commands.register<TenantFloorsSetInput>({
      name: 'tenantFloorsSet',
      action: 'tenant.floorsSet',
      inputOf: tenantInputOf,
      inputType: 'TenantFloorsSetInput',
      permission: 'overrides:write',
      run: async (caller, { tx }, input) =>
        this.service.setFloors(caller, await this.tenants.withVersion(tx, input)),
      revert: ({ tenantKey }, [done]) => [
        { command: 'tenantFloorsSet', input: { tenantKey, floors: floorInputs(done?.before) } },
      ],
    });
    this.registerStatus('tenantSuspend', 'tenantResume', TenantStatus.SUSPENDED);
    this.registerStatus('tenantResume', 'tenantSuspend', TenantStatus.ACTIVE);
  }

  private registerStatus(name: string, opposite: string, status: TenantStatus): void {
    this.commands.register<TenantStatusInput>({
      name,
      action: name === 'tenantSuspend' ? 'tenant.suspend' : 'tenant.resume',
      inputOf: tenantInputOf,
      inputType: 'TenantStatusInput',
      permission: 'tenants:write',
      run: async (caller, { tx }, input) =>
        this.service.setStatus(caller, await this.tenants.withVersion(tx, input), status),
      revert: ({ tenantKey }) => [{ command: opposite, input: { tenantKey } }],
    });
  }
}

/** The floors of an audit entry in the form of the mutation. */
function floorInputs(recorded: object | null | undefined): TenantFloorsSetInput['floors'] {
  const { floors = [] } = (recorded ?? {}) as { floors?: unknown };
  return readFloors(floors).map(({ api: apiKey, ...floor }) => ({ apiKey, ...floor }));
}
