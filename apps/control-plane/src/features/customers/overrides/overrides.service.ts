import { Injectable } from '@nestjs/common';
import { mayIn } from '../../../platform/access/ability.js';
import { type Caller, jobActor } from '../../../platform/access/actor.js';
import { type Change, ChangeRunner, findManaged } from '../../../platform/changes/change.js';
import {
  invalid,
  notFound,
  type Outcome,
  parseInput,
  type Refusal,
  refuse,
  userError,
} from '../../../platform/changes/outcome.js';
import { Clock } from '../../../platform/clock.js';
import { UserErrorCode } from '../../../platform/graphql/mutation.graphql.js';
import { newId } from '../../../platform/ids.js';
import { ScheduledJob } from '../../../platform/jobs/jobs-runner.js';
import { CarryOver, OverrideKind } from '../../../platform/prisma/schema.js';
import { upper } from '../../catalogue/index.js';
import { type Adjusted, AdjustmentService } from '../entitlements/adjustment.service.js';
import { toTarget } from '../entitlements/entitlements.graphql.js';
import { sourceOfOverride } from '../entitlements/entitlements.repository.js';
import { AdjustmentsPlanner } from '../entitlements/entitlements.service.js';
import { ruleOfEnd } from '../tenants/adjustment-schedule.js';
import { type TenantRow, TenantsRepository } from '../tenants/tenants.repository.js';
import {
  type BoostEndInput,
  type BoostStartInput,
  boostEndSchema,
  boostStartSchema,
  findBoostEndProblem,
  type OverrideRemoveInput,
  type OverrideSetInput,
  type OwnLimitRemoveInput,
  type OwnLimitSetInput,
  overrideRemoveSchema,
  overrideSetSchema,
  overrideTimes,
  ownLimitRemoveSchema,
  ownLimitSetSchema,
} from './overrides.graphql.js';
import { endNoticeKey, type OverrideRow, OverridesRepository } from './overrides.repository.js';

type Parsed = Pick<
  (typeof overrideSetSchema)['_output'],
  'tenantKey' | 'expectedVersion' | 'apiKey' | 'limit' | 'appliesTo' | 'effect' | 'carryOver' | 'reason'
>;

export interface NewOverride extends Omit<Parsed, 'tenantKey' | 'expectedVersion'> {
  kind: OverrideKind;
  startsAt: Date;
  endsAt: Date | null;
}

type Result = Outcome<Adjusted<OverrideRow>>;

/** Overrides and boosts that operators set for single tenants. */
@Injectable()
export class OverridesService {
  constructor(
    private readonly adjustments: AdjustmentService,
    private readonly planner: AdjustmentsPlanner,
    private readonly overrides: OverridesRepository,
    private readonly tenants: TenantsRepository,
    private readonly clock: Clock,
  ) {}

  /** Sets an override, replacing one for the same limits. Errors: INVALID, NOT_FOUND, CONFLICT. */
  async set(caller: Caller, input: OverrideSetInput): Promise<Result> {
    const parsed = parseInput(overrideSetSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const times = overrideTimes(parsed.data, this.clock.now());
    if ('code' in times) return refuse([times]);
    const facts = { ...parsed.data, ...times, kind: OverrideKind.OVERRIDE };
    return this.adjustments.change(caller, parsed.data, (change, tenant) => this.make(change, tenant, facts));
  }

  /** Starts a boost. Errors: INVALID, TAKEN if one is active for the same limits, NOT_FOUND, CONFLICT. */
  async startBoost(caller: Caller, input: BoostStartInput): Promise<Result> {
    const parsed = parseInput(boostStartSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const now = this.clock.now();
    const problem = findBoostEndProblem(
      parsed.data.endsAt,
      now,
      mayIn(caller.actor.ability, 'overrides:write', parsed.data.tenantKey),
    );
    if (problem !== undefined) return refuse([problem]);
    const facts = { ...parsed.data, startsAt: now, kind: OverrideKind.BOOST };
    return this.adjustments.change(caller, parsed.data, (change, tenant) => this.make(change, tenant, facts));
  }

  /** Removes an override immediately. Errors: NOT_FOUND, INVALID if it has ended. */
  remove(caller: Caller, input: OverrideRemoveInput): Promise<Result> {
    const parsed = parseInput(overrideRemoveSchema, input);
    if (!parsed.ok) return Promise.resolve(refuse(parsed.errors));
    return this.end(caller, { ...parsed.data, kind: OverrideKind.OVERRIDE, field: 'overrideId' });
  }

  /** Ends a boost immediately. Errors: NOT_FOUND, INVALID if it has ended. */
  endBoost(caller: Caller, input: BoostEndInput): Promise<Result> {
    const parsed = parseInput(boostEndSchema, input);
    if (!parsed.ok) return Promise.resolve(refuse(parsed.errors));
    const { boostId: overrideId, reason } = parsed.data;
    return this.end(caller, { overrideId, reason, kind: OverrideKind.BOOST, field: 'boostId' });
  }

  /** Lowers a limit for the tenant itself. Errors: INVALID unless it lowers the limit, NOT_FOUND. */
  async setOwnLimit(caller: Caller, input: OwnLimitSetInput): Promise<Result> {
    const parsed = parseInput(ownLimitSetSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { tenantKey, apiKey, limit, max } = parsed.data;
    const effect = { kind: 'set', limit: max } as const;
    const facts = { apiKey, limit, appliesTo: undefined, effect, carryOver: CarryOver.KEEP, reason: '' };
    const times = { startsAt: this.clock.now(), endsAt: null };
    const options = { tenantKey, expectedVersion: null, reason: null };
    return this.adjustments.change(caller, options, (change, tenant) =>
      this.make(change, tenant, { ...facts, ...times, kind: OverrideKind.OWN }),
    );
  }

  /** Removes an own limit immediately. Errors: NOT_FOUND. */
  async removeOwnLimit(caller: Caller, input: OwnLimitRemoveInput): Promise<Result> {
    const parsed = parseInput(ownLimitRemoveSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { tenantKey, apiKey, limit } = parsed.data;
    const options = { tenantKey, expectedVersion: null, reason: null };
    return this.adjustments.change(caller, options, async (change, tenant) => {
      const target = { kind: OverrideKind.OWN, apiKey, limitName: limit, appliesTo: null };
      const own = await this.overrides.findLive(change.tx, tenant.id, target, this.clock.now());
      if (own === null) return refuse([notFound(['limit'], `own limit for "${limit}"`)]);
      return this.finish(change, tenant, own);
    });
  }

  /** Like `set`, within a change to a locked tenant. */
  async make(
    change: Change,
    tenant: TenantRow,
    facts: NewOverride,
  ): Promise<Adjusted<OverrideRow> | Refusal<Adjusted<OverrideRow>>> {
    const { kind, apiKey = null, limit: limitName = null, appliesTo, effect, reason, ...times } = facts;
    const { startsAt, endsAt, carryOver } = times;
    const target = { kind, apiKey, limitName, appliesTo: appliesTo === undefined ? null : upper(appliesTo) };
    const now = this.clock.now();
    const old = await this.overrides.findLive(change.tx, tenant.id, target, now);
    if (old !== null && kind === OverrideKind.BOOST) {
      const message = `A boost for the same limits runs until ${old.endsAt?.toISOString()}. End it first.`;
      return refuse([userError(UserErrorCode.TAKEN, ['limit'], message)], { tenant, row: old, warnings: [] });
    }
    const managed = old === null ? undefined : findManaged(change.caller, old, 'override', reason);
    if (managed !== undefined) return refuse([managed], { tenant, row: old, warnings: [] });
    if (old !== null) await this.overrides.remove(change.tx, old.id, now, change.caller.actor.label);
    const draft = { source: sourceOfOverride(facts), ...toTarget(facts) };
    const found = await this.adjustments.check(change, tenant, [{ draft, replaces: old?.id }]);
    const { errors, hiddenPurchases } = found;
    if (errors.length > 0) return refuse(errors, { tenant, row: null, warnings: [] });
    const row = await this.overrides.create(change.tx, {
      ...target,
      id: newId('override'),
      tenantId: tenant.id,
      effect,
      reason: reason ?? '',
      startsAt,
      endsAt,
      carryOver,
      managedBy: old?.managedBy ?? 'CONSOLE',
      createdBy: change.caller.actor.label,
      createdAt: now,
    });
    await change.audit({
      action: ACTIONS[kind].made,
      entityId: row.id,
      entityName: row.limitName ?? 'all limits',
      tenantKey: tenant.key,
      before: old === null ? null : factsOf(old),
      after: factsOf(row),
    });
    const isNow = startsAt <= now;
    const changed = await this.planner.replan(change, tenant, isNow ? carryOver : CarryOver.KEEP);
    const purchases = hiddenPurchases.join(', ');
    if (purchases !== '') {
      const data = { tenant: tenant.key, purchases, overrideId: row.id };
      await change.notify({ kind: 'override.hides_purchase', data });
    }
    return { tenant: changed, row, warnings: found.warnings };
  }

  private async end(
    caller: Caller,
    input: { overrideId: string; reason: string | null; kind: OverrideKind; field: string },
  ): Promise<Result> {
    const { overrideId, kind, field, reason } = input;
    const found = await this.overrides.findById(overrideId);
    const owner = found?.kind === kind ? await this.tenants.findById(found.tenantId) : null;
    if (owner === null) return refuse([notFound([field], `such ${kind.toLowerCase()}`)]);
    const options = { tenantKey: owner.key, expectedVersion: null, reason };
    return this.adjustments.change(caller, options, async (change, tenant) => {
      const now = this.clock.now();
      const live = await this.overrides.findById(overrideId, change.tx);
      if (live === null || live.removedAt !== null || (live.endsAt !== null && live.endsAt <= now)) {
        return refuse([invalid([field], `The ${kind.toLowerCase()} has already ended.`)]);
      }
      const managed = findManaged(caller, live, 'override', reason);
      if (managed !== undefined) return refuse([managed]);
      return this.finish(change, tenant, live);
    });
  }

  private async finish(change: Change, tenant: TenantRow, live: OverrideRow): Promise<Adjusted<OverrideRow>> {
    const row = await this.overrides.remove(change.tx, live.id, this.clock.now(), change.caller.actor.label);
    await change.audit({
      action: ACTIONS[live.kind].ended,
      entityId: row.id,
      entityName: row.limitName ?? 'all limits',
      tenantKey: tenant.key,
      before: factsOf(live),
      after: null,
    });
    const changed = await this.planner.replan(change, tenant, ruleOfEnd(row.carryOver));
    return { tenant: changed, row, warnings: [] };
  }
}

const ACTIONS = {
  OVERRIDE: { made: 'override.set', ended: 'override.remove' },
  BOOST: { made: 'boost.start', ended: 'boost.end' },
  OWN: { made: 'own_limit.set', ended: 'own_limit.remove' },
} as const;

function factsOf(row: OverrideRow) {
  const { apiKey, limitName, appliesTo, effect, reason, startsAt, endsAt, carryOver } = row;
  return {
    apiKey,
    limitName,
    appliesTo,
    effect: effect as object,
    reason,
    startsAt: startsAt.toISOString(),
    endsAt: endsAt?.toISOString() ?? null,
    carryOver,
  };
}

/** Look-back window, longer than any worker downtime. */
const LOOK_BACK_MS = 7 * 86_400_000;

/** Sends notices about ended overrides and boosts. Nodes apply the end themselves. */
@ScheduledJob({ name: 'ended-overrides', everyMs: 10_000 })
@Injectable()
export class EndedOverridesJob {
  constructor(
    private readonly overrides: OverridesRepository,
    private readonly changes: ChangeRunner,
    private readonly clock: Clock,
  ) {}

  async run(): Promise<void> {
    const now = this.clock.now();
    const ended = await this.overrides.listEndedWithoutNotice(new Date(now.getTime() - LOOK_BACK_MS), now);
    if (ended.length === 0) return;
    const caller = { actor: jobActor('ended-overrides'), requestId: newId('request') };
    await this.changes.run(caller, { reason: null }, async (change) => {
      for (const { id, kind, tenant, apiKey, limitName, endsAt } of ended) {
        await change.notify({
          kind: kind === OverrideKind.BOOST ? 'boost.ended' : 'override.expired',
          tenant,
          data: {
            tenant: tenant.key,
            overrideId: id,
            api: apiKey,
            limit: limitName,
            endedAt: endsAt?.toISOString() ?? null,
          },
          dedupeKey: endNoticeKey({ id }),
        });
      }
      return ended.length;
    });
  }
}
