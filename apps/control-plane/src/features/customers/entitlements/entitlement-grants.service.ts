import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Caller } from '../../../platform/access/actor.js';
import { tenantInputOf } from '../../../platform/changes/audit-trail.js';
import { invalid, notFound, type Outcome, parseInput, refuse } from '../../../platform/changes/outcome.js';
import { PolicyCommands, readTimes } from '../../../platform/changes/policy-commands.js';
import { Clock } from '../../../platform/clock.js';
import { TenantsRepository } from '../tenants/tenants.repository.js';
import { type Adjusted, AdjustmentService } from './adjustment.service.js';
import {
  type EntitlementGrantInput,
  type EntitlementRevokeInput,
  entitlementGrantSchema,
  entitlementRevokeSchema,
  isPast,
  toTarget,
} from './entitlements.graphql.js';
import { type EntitlementRow, EntitlementsRepository } from './entitlements.repository.js';
import { EntitlementsService } from './entitlements.service.js';

/** Entitlements that operators grant and revoke without a purchase. */
@Injectable()
export class EntitlementGrantsService {
  constructor(
    private readonly adjustments: AdjustmentService,
    private readonly entitlements: EntitlementsService,
    private readonly ledger: EntitlementsRepository,
    private readonly tenants: TenantsRepository,
    private readonly clock: Clock,
  ) {}

  /** Errors: INVALID, NOT_FOUND, CONFLICT. */
  async grant(caller: Caller, input: EntitlementGrantInput): Promise<Outcome<Adjusted<EntitlementRow[]>>> {
    const parsed = parseInput(entitlementGrantSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { source, effects, startsAt, endsAt = null, label, carryOver, reason } = parsed.data;
    const now = this.clock.now();
    if (endsAt !== null && endsAt <= now) {
      return refuse([invalid(['endsAt'], 'An entitlement cannot end in the past. Choose a later end.')]);
    }
    if (startsAt != null && isPast(startsAt, now)) {
      const message = 'An entitlement cannot start in the past. Omit startsAt to start now.';
      return refuse([invalid(['startsAt'], message)]);
    }
    return this.adjustments.change(caller, parsed.data, async (change, tenant) => {
      const granted = effects.map(toTarget);
      const kind = source === 'TOPUP' ? ('topup' as const) : ('upgrade' as const);
      const drafts = granted.map((part, i) => ({
        draft: { ...part, source: kind },
        path: ['effects', `${i}`],
      }));
      const { errors, warnings } = await this.adjustments.check(change, tenant, drafts);
      if (errors.length > 0) return refuse(errors, { tenant, row: null, warnings: [] });
      const row = await this.entitlements.grant(change, tenant, {
        source: kind,
        cause: 'GRANT',
        purchaseId: null,
        label,
        effects: granted,
        startsAt: startsAt ?? now,
        endsAt,
        usedOnce: kind === 'topup',
        carryOver,
        reason,
      });
      return { tenant: (await this.tenants.lockByKey(change.tx, tenant.key)) ?? tenant, row, warnings };
    });
  }

  /** Revokes a purchased or granted entitlement. Errors: INVALID if it has ended by then, NOT_FOUND. */
  async revoke(caller: Caller, input: EntitlementRevokeInput): Promise<Outcome<Adjusted<EntitlementRow[]>>> {
    const parsed = parseInput(entitlementRevokeSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { entitlementId, reason } = parsed.data;
    const grant = await this.ledger.findById(entitlementId);
    const owner = grant === null ? null : await this.tenants.findById(grant.tenantId);
    if (owner === null) return refuse([notFound(['entitlementId'], 'such entitlement')]);
    const now = this.clock.now();
    const at = parsed.data.at ?? now;
    if (isPast(at, now)) {
      return refuse([invalid(['at'], 'An entitlement cannot end in the past. Omit at to end it now.')]);
    }
    const options = { tenantKey: owner.key, expectedVersion: null, reason };
    return this.adjustments.change(caller, options, async (change, tenant) => {
      const end = { which: { ids: [entitlementId] }, at, cause: 'REVOKED' as const, reason };
      const row = await this.entitlements.end(change, tenant, end);
      if (row.length === 0) {
        return refuse([invalid(['entitlementId'], 'The entitlement has already ended at that time.')]);
      }
      return { tenant: (await this.tenants.lockByKey(change.tx, tenant.key)) ?? tenant, row, warnings: [] };
    });
  }
}

/** Change set commands for entitlements. */
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
      run: async (caller, { tx }, input) =>
        this.service.grant(
          caller,
          await this.tenants.withVersion(tx, readTimes(input, ['startsAt', 'endsAt'])),
        ),
      fromNow: ({ startsAt }) => (startsAt == null ? ['startsAt'] : []),
      // Entitlements of a purchase are revoked with the purchase.
      revert: (_, done) => {
        const granted = done.filter(({ after }) => (after as { cause?: string } | null)?.cause === 'GRANT');
        if (granted.length === 0) return null;
        return granted.map(({ entityId }) => ({
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
      irrevocable: 'Ledger entries cannot be deleted. Grant the entitlement again.',
    });
  }
}
