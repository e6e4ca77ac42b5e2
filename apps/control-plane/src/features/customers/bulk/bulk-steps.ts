import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../platform/access/actor.js';
import type { AuditFacts } from '../../../platform/changes/audit-trail.js';
import type { Change } from '../../../platform/changes/change.js';
import { invalid, notFound, type Outcome, refuse, userError } from '../../../platform/changes/outcome.js';
import { Clock } from '../../../platform/clock.js';
import { UserErrorCode } from '../../../platform/graphql/mutation.graphql.js';
import { BulkActionKind, TenantStatus } from '../../../platform/prisma/schema.js';
import { showEffect } from '../entitlements/entitlements.graphql.js';
import type { BoostStartInput } from '../overrides/overrides.graphql.js';
import type { OverrideRow } from '../overrides/overrides.repository.js';
import { OverridesService } from '../overrides/overrides.service.js';
import type { TenantTierChangeInput } from '../tenants/tenants.graphql.js';
import { TenantsRepository } from '../tenants/tenants.repository.js';
import { TenantsService } from '../tenants/tenants.service.js';
import { type BulkActionRow, BulkActionsRepository } from './bulk-actions.repository.js';

export type BulkTarget = { id: string; key: string };

/** The part of a bulk action that its steps need; `input` is the result of `inputOf`. */
export type BulkWork = Pick<BulkActionRow, 'kind' | 'reason' | 'revertsId'> & {
  input: Record<string, unknown>;
};

type BulkStep = Omit<BulkWork, 'revertsId'> & { tenantKey: string };

/** The audit facts of a step, stored in its item. */
type StepFacts = Pick<AuditFacts, 'entityId' | 'before' | 'after'>;

type RecordedOverride = Pick<OverrideRow, 'apiKey' | 'limitName' | 'appliesTo' | 'effect' | 'carryOver'>;

/** Applies bulk actions to single tenants, through the services of the single-tenant mutations, and reverts them. */
@Injectable()
export class BulkSteps {
  constructor(
    private readonly service: TenantsService,
    private readonly tenants: TenantsRepository,
    private readonly overrides: OverridesService,
    private readonly actions: BulkActionsRepository,
    private readonly clock: Clock,
  ) {}

  /** Applies an action, or its undo, to one tenant within `change`. Errors are those of the single-tenant mutation. */
  async run(
    caller: Caller,
    change: Change,
    action: BulkWork,
    { id, key }: BulkTarget,
  ): Promise<Outcome<unknown>> {
    const step = { ...action, tenantKey: key };
    if (action.revertsId === null) return this.apply(caller, change, step);
    const first = await this.actions.findById(action.revertsId, change.tx);
    const item = await this.actions.findItem(change.tx, action.revertsId, id);
    if (first === null || item?.done == null)
      throw new Error(`Bulk action ${action.revertsId} has no result for tenant ${key}`);
    const done = item.done as unknown as StepFacts;
    return this.revert(
      caller,
      change,
      { ...step, kind: first.kind, input: first.input as BulkWork['input'] },
      done,
    );
  }

  private async apply(
    caller: Caller,
    change: Change,
    { kind, input, reason, tenantKey }: BulkStep,
  ): Promise<Outcome<unknown>> {
    const tenant = await this.tenants.lockByKey(change.tx, tenantKey);
    if (tenant === null) return refuse([notFound(['tenantKey'], `tenant "${tenantKey}"`)]);
    const seen = { tenantKey, expectedVersion: tenant.version, reason };
    const { endsAt, ...rest } = input;
    switch (kind) {
      case BulkActionKind.TIER_CHANGE:
        return this.moveTier(caller, change, { ...seen, ...rest } as TenantTierChangeInput, tenant.id);
      case BulkActionKind.SUSPEND:
        return this.service.setStatus(caller, seen, TenantStatus.SUSPENDED);
      case BulkActionKind.RESUME:
        return this.service.setStatus(caller, seen, TenantStatus.ACTIVE);
      case BulkActionKind.BOOST:
        return this.overrides.startBoost(caller, {
          ...seen,
          ...rest,
          endsAt: toDate(endsAt),
        } as BoostStartInput);
      case BulkActionKind.OVERRIDE:
        return this.overrides.set(caller, {
          ...seen,
          ...(rest as Pick<BoostStartInput, 'effect'>),
          expiresAt: endsAt === null ? null : toDate(endsAt),
        });
      case BulkActionKind.UNDO:
        throw new Error('An undo runs the steps of the action it reverts');
    }
  }

  /** Reverts `step`, which recorded `done`. Fails if the tenant has changed since. */
  private async revert(
    caller: Caller,
    change: Change,
    step: BulkStep,
    done: StepFacts,
  ): Promise<Outcome<unknown>> {
    const { kind, reason, tenantKey } = step;
    const again = { ...step, input: {} };
    switch (kind) {
      case BulkActionKind.TIER_CHANGE:
        return this.moveBack(caller, change, step, done);
      case BulkActionKind.SUSPEND:
        return this.apply(caller, change, { ...again, kind: BulkActionKind.RESUME });
      case BulkActionKind.RESUME:
        return this.apply(caller, change, { ...again, kind: BulkActionKind.SUSPEND });
      case BulkActionKind.BOOST:
        return this.overrides.endBoost(caller, { boostId: done.entityId, reason });
      case BulkActionKind.OVERRIDE: {
        const removed = await this.overrides.remove(caller, { overrideId: done.entityId, reason });
        return removed.ok
          ? this.restore(caller, change, { tenantKey, reason, before: done.before })
          : removed;
      }
      case BulkActionKind.UNDO:
        throw new Error('An undo cannot be undone');
    }
  }

  /** Fails for a tenant already on the tier: a second change would start a new generation of its counters. */
  private async moveTier(caller: Caller, change: Change, input: TenantTierChangeInput, tenantId: string) {
    const { tier, pinnedVersionNumber } = await this.tenants.findSubscription(change.tx, tenantId);
    if (tier.key === input.tierKey && pinnedVersionNumber === null) {
      return refuse([invalid(['tierKey'], `The tenant is already on ${tier.name}.`)]);
    }
    return this.service.changeTier(caller, input);
  }

  private async moveBack(caller: Caller, change: Change, step: BulkStep, { before, after }: StepFacts) {
    const tenant = await this.tenants.lockByKey(change.tx, step.tenantKey);
    if (tenant === null) return refuse([notFound(['tenantKey'], `tenant "${step.tenantKey}"`)]);
    const { tier } = await this.tenants.findSubscription(change.tx, tenant.id);
    if (tier.key !== after?.tierKey) {
      const message = `The tenant has since moved to ${tier.name}.`;
      return refuse([userError(UserErrorCode.CONFLICT, ['tenantKey'], message)]);
    }
    return this.service.changeTier(caller, {
      tenantKey: step.tenantKey,
      expectedVersion: tenant.version,
      reason: step.reason,
      tierKey: String(before?.tierKey),
      pinnedVersion: (before?.pinnedVersion ?? null) as number | null,
    });
  }

  /** Restores the override that the step replaced, until its original end. */
  private async restore(
    caller: Caller,
    change: Change,
    { tenantKey, reason, before }: { tenantKey: string; reason: string; before: StepFacts['before'] },
  ): Promise<Outcome<unknown>> {
    const endsAt = before?.endsAt == null ? null : toDate(before.endsAt);
    if (before === null || (endsAt !== null && endsAt <= this.clock.now()))
      return { ok: true, value: null, changeId: change.id, impact: null };
    const tenant = await this.tenants.lockByKey(change.tx, tenantKey);
    if (tenant === null) return refuse([notFound(['tenantKey'], `tenant "${tenantKey}"`)]);
    const { limitName, effect, ...rest } = before as unknown as RecordedOverride;
    return this.overrides.set(caller, {
      ...{ tenantKey, expectedVersion: tenant.version, reason, expiresAt: endsAt },
      ...{ apiKey: rest.apiKey, limit: limitName, appliesTo: rest.appliesTo, carryOver: rest.carryOver },
      effect: showEffect(effect),
    });
  }
}

const toDate = (value: unknown): Date => new Date(String(value));
