import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type Caller } from '../../../platform/access/actor.js';
import { tenantInputOf } from '../../../platform/changes/audit-trail.js';
import { type Change } from '../../../platform/changes/change.js';
import { notFound, type Outcome, parseInput, refuse, userError } from '../../../platform/changes/outcome.js';
import { PolicyCommands, readTimes } from '../../../platform/changes/policy-commands.js';
import { Clock } from '../../../platform/clock.js';
import { UserErrorCode } from '../../../platform/graphql/user-error.graphql.js';
import { TenantsRepository } from '../tenants/tenants.repository.js';
import { type Adjusted, AdjustmentService } from './adjustment.service.js';
import {
  type EntitlementGrantInput,
  type EntitlementRevokeInput,
  entitlementGrantSchema,
  entitlementRevokeSchema,
  isPast,
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

  /** Refused: INVALID, NOT_FOUND, CONFLICT. */
  async grant(caller: Caller, input: EntitlementGrantInput): Promise<Outcome<Adjusted<EntitlementRow[]>>> {
    const parsed = parseInput(entitlementGrantSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { source, effects, startsAt, endsAt = null, label, carryOver, reason } = parsed.data;
    const now = this.clock.now();
    if (endsAt !== null && endsAt <= now) {
      return refuse([
        userError(UserErrorCode.INVALID, ['endsAt'], 'It would have ended already; choose a later end.'),
      ]);
    }
    if (startsAt != null && isPast(startsAt, now)) {
      const message = 'What is past cannot be changed; leave startsAt out for now.';
      return refuse([userError(UserErrorCode.INVALID, ['startsAt'], message)]);
    }
    return this.adjustments.change(caller, parsed.data, async (change, tenant) => {
      const granted = effects.map(({ apiKey, limit, appliesTo, effect }) => ({
        effect,
        ...(apiKey === undefined ? {} : { api: apiKey }),
        ...(limit === undefined ? {} : { limit }),
        ...(appliesTo === undefined ? {} : { appliesTo }),
      }));
      const kind = source === 'TOPUP' ? ('topup' as const) : ('upgrade' as const);
      const drafts = granted.map((part, i) => ({
        draft: { ...part, source: kind },
        path: ['effects', String(i)],
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
        carryOver,
        reason,
      });
      return { tenant: (await this.tenants.lockByKey(change.tx, tenant.key)) ?? tenant, row, warnings };
    });
  }

  /** Takes a grant back, sold or given. Refused: INVALID when it has ended by then, NOT_FOUND. */
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
      const message = 'What is past cannot be changed; leave at out for now.';
      return refuse([userError(UserErrorCode.INVALID, ['at'], message)]);
    }
    const options = { tenantKey: owner.key, expectedVersion: null, reason };
    return this.adjustments.change(caller, options, async (change, tenant) => {
      const end = { which: { ids: [entitlementId] }, at, cause: 'REVOKED' as const, reason };
      const row = await this.entitlements.end(change, tenant, end);
      if (row.length === 0) {
        const message = 'It has ended by then already.';
        return refuse([userError(UserErrorCode.INVALID, ['entitlementId'], message)]);
      }
      return { tenant: (await this.tenants.lockByKey(change.tx, tenant.key)) ?? tenant, row, warnings: [] };
    });
  }
}

/** Commands of change sets that grant and revoke entitlements. */
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
      // Entitlements of a purchase are revoked with the purchase.
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
