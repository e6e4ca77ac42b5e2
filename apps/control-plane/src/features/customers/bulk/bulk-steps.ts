import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../platform/access/actor.js';
import type { AuditFacts } from '../../../platform/changes/audit-trail.js';
import type { Change } from '../../../platform/changes/change.js';
import { notFound, type Outcome, refuse, userError } from '../../../platform/changes/outcome.js';
import { Clock } from '../../../platform/clock.js';
import { UserErrorCode } from '../../../platform/graphql/user-error.graphql.js';
import { BulkActionKind, TenantStatus } from '../../../platform/prisma/schema.js';
import { showEffect } from '../entitlements/adjustment-input.rules.js';
import type { BoostStartInput } from '../overrides/overrides.graphql.js';
import type { OverrideRow } from '../overrides/overrides.repository.js';
import { OverridesService } from '../overrides/overrides.service.js';
import type { TenantTierChangeInput } from '../tenants/tenants.graphql.js';
import { TenantsRepository } from '../tenants/tenants.repository.js';
import { TenantsService } from '../tenants/tenants.service.js';

/** What is done to one tenant. */
export interface BulkStep {
  kind: BulkActionKind;
  /** As `inputOf` made it. */
  input: Record<string, unknown>;
  reason: string;
  tenantKey: string;
}

/** What a step wrote down, as an item keeps it. */
export type StepFacts = Pick<AuditFacts, 'entityId' | 'before' | 'after'>;

/** An override as its audit entry keeps it. */
type KeptOverride = Pick<OverrideRow, 'apiKey' | 'limitName' | 'appliesTo' | 'effect' | 'carryOver'>;

/** Does to one tenant what its own mutations do, within a change that is open, and takes it back. */
@Injectable()
export class BulkSteps {
  constructor(
    private readonly service: TenantsService,
    private readonly tenants: TenantsRepository,
    private readonly overrides: OverridesService,
    private readonly clock: Clock,
  ) {}

  /** Refused as the mutation for one tenant is. */
  async run(
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
          ...(endsAt === null ? {} : { expiresAt: toDate(endsAt) }),
        });
      case BulkActionKind.UNDO:
        throw new Error('An undo has no step of its own');
    }
  }

  /** Takes back what `step` did and wrote down. Refused where the tenant has gone on since. */
  async undo(caller: Caller, change: Change, step: BulkStep, done: StepFacts): Promise<Outcome<unknown>> {
    const { kind, reason, tenantKey } = step;
    const again = { ...step, input: {} };
    switch (kind) {
      case BulkActionKind.TIER_CHANGE:
        return this.moveBack(caller, change, step, done);
      case BulkActionKind.SUSPEND:
        return this.run(caller, change, { ...again, kind: BulkActionKind.RESUME });
      case BulkActionKind.RESUME:
        return this.run(caller, change, { ...again, kind: BulkActionKind.SUSPEND });
      case BulkActionKind.BOOST:
        return this.overrides.endBoost(caller, { boostId: done.entityId, reason });
      case BulkActionKind.OVERRIDE: {
        const removed = await this.overrides.remove(caller, { overrideId: done.entityId, reason });
        return removed.ok
          ? this.restore(caller, change, { tenantKey, reason, before: done.before })
          : removed;
      }
      case BulkActionKind.UNDO:
        throw new Error('An undo is not taken back');
    }
  }

  /** Whoever is there already is left alone: moved once more, it would lose its place. */
  private async moveTier(caller: Caller, change: Change, input: TenantTierChangeInput, tenantId: string) {
    const { tier, pinnedVersionNumber } = await this.tenants.findSubscription(change.tx, tenantId);
    if (tier.key === input.tierKey && pinnedVersionNumber === null) {
      const message = `It is on ${tier.name} already.`;
      return refuse([userError(UserErrorCode.INVALID, ['tierKey'], message)]);
    }
    return this.service.changeTier(caller, input);
  }

  private async moveBack(caller: Caller, change: Change, step: BulkStep, { before, after }: StepFacts) {
    const tenant = await this.tenants.lockByKey(change.tx, step.tenantKey);
    if (tenant === null) return refuse([notFound(['tenantKey'], `tenant "${step.tenantKey}"`)]);
    const { tier } = await this.tenants.findSubscription(change.tx, tenant.id);
    if (tier.key !== after?.tierKey) {
      const message = `It has been moved since, to ${tier.name}.`;
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

  /** Sets the override again whose place was taken, for as long as it would still last. */
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
    const { limitName, effect, ...rest } = before as unknown as KeptOverride;
    return this.overrides.set(caller, {
      ...{ tenantKey, expectedVersion: tenant.version, reason, expiresAt: endsAt },
      ...{ apiKey: rest.apiKey, limit: limitName, appliesTo: rest.appliesTo, carryOver: rest.carryOver },
      effect: showEffect(effect),
    });
  }
}

const toDate = (value: unknown): Date => new Date(String(value));
