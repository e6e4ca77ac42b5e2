import { Injectable, type OnModuleInit } from '@nestjs/common';
import { tenantInputOf } from '../../../platform/changes/audit-trail.js';
import type { Change } from '../../../platform/changes/change.js';
import { PolicyCommands, readTimes } from '../../../platform/changes/policy-commands.js';
import { TenantsRepository } from '../tenants/tenants.repository.js';
import { EntitlementGrantsService } from './entitlement-grants.service.js';
import type { EntitlementGrantInput, EntitlementRevokeInput } from './entitlements.graphql.js';

/** What change sets may give to tenants, and take back. */
@Injectable()
export class EntitlementCommands implements OnModuleInit {
  constructor(
    private readonly commands: PolicyCommands,
    private readonly service: EntitlementGrantsService,
    private readonly tenants: TenantsRepository,
  ) {}

  onModuleInit(): void {
    this.commands.register<EntitlementGrantInput>({
      name: 'entitlementGrant',
      action: 'entitlement.grant',
      inputOf: tenantInputOf,
      inputType: 'EntitlementGrantInput',
      permission: 'entitlements:write',
      run: async (caller, change, input) => {
        const seen = await this.current(change, readTimes(input, ['startsAt', 'endsAt']));
        return this.service.grant(caller, seen);
      },
      fromNow: ({ startsAt }) => (startsAt == null ? ['startsAt'] : []),
      // What was bought is taken back with its purchase.
      revert: (_, done) => {
        const given = done.filter(({ after }) => (after as { cause?: string } | null)?.cause === 'GRANT');
        if (given.length === 0) return null;
        return given.map(({ entityId }) => ({
          command: 'entitlementRevoke',
          input: { entitlementId: entityId, reason: 'Reverted' },
        }));
      },
    });
    this.commands.register<EntitlementRevokeInput>({
      name: 'entitlementRevoke',
      action: 'entitlement.end',
      inputOf: async ({ entityId }) => ({ entitlementId: entityId }),
      inputType: 'EntitlementRevokeInput',
      permission: 'entitlements:write',
      run: (caller, _, input) => this.service.revoke(caller, readTimes(input, ['at'])),
      fromNow: ({ at }) => (at == null ? ['endsAt'] : []),
      revert: () => null,
      irrevocable: 'The ledger is only added to. Give it anew.',
    });
  }

  /** The input with the tenant's version in this transaction. */
  private async current(change: Change, input: EntitlementGrantInput): Promise<EntitlementGrantInput> {
    const tenant = await this.tenants.lockByKey(change.tx, input.tenantKey);
    return { ...input, expectedVersion: tenant?.version ?? 0 };
  }
}
