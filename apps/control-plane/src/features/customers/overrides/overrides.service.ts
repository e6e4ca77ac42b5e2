import { Injectable } from '@nestjs/common';
import { mayIn } from '../../../platform/access/ability.js';
import { type Caller, jobActor } from '../../../platform/access/actor.js';
import { type Change, ChangeRunner, findManaged } from '../../../platform/changes/change.js';
import {
  errorsAt,
  invalid,
  notFound,
  type Outcome,
  onlyOf,
  parseInput,
  parseInputs,
  type Refusal,
  refuse,
  userError,
} from '../../../platform/changes/outcome.js';
import { Clock } from '../../../platform/clock.js';
import { type UserError, UserErrorCode } from '../../../platform/graphql/mutation.graphql.js';
import { newId } from '../../../platform/ids.js';
import { ScheduledJob } from '../../../platform/jobs/jobs-runner.js';
import { CarryOver, OverrideKind } from '../../../platform/prisma/schema.js';
import { upper } from '../../catalogue/index.js';
import { type Adjusted, AdjustmentService } from '../entitlements/adjustment.service.js';
import { toTarget } from '../entitlements/entitlements.graphql.js';
import { sourceOfOverride } from '../entitlements/entitlements.repository.js';
import { AdjustmentsPlanner } from '../entitlements/entitlements.service.js';
import { ruleOfEnd } from '../tenants/adjustment-schedule.js';
import type { TenantChange } from '../tenants/tenant-changes.js';
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
import {
  endNoticeKey,
  type OverrideRow,
  OverridesRepository,
  type OverrideTarget,
} from './overrides.repository.js';

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

  /** As `set`, for different tenants. Errors have the index of their input before their field. */
  async setAll(
    caller: Caller,
    inputs: readonly OverrideSetInput[],
  ): Promise<Outcome<Adjusted<OverrideRow>[]>> {
    const parsed = parseInputs(overrideSetSchema, inputs);
    if (!parsed.ok) return refuse(parsed.errors);
    const now = this.clock.now();
    const times = parsed.data.map((facts) => overrideTimes(facts, now));
    const errors = times.flatMap((one, index) => ('code' in one ? errorsAt(index, [one]) : []));
    if (errors.length > 0) return refuse(errors);
    const facts = parsed.data.map((one, index) => ({
      ...{ ...one, ...(times[index] as Pick<NewOverride, 'startsAt' | 'endsAt'>) },
      kind: OverrideKind.OVERRIDE,
    }));
    return this.adjustments.changeAll(caller, facts, (change, made) => this.makeAll(change, made));
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
      const [done] = await this.finish(change, [{ change, tenant, live: own }]);
      return done as Adjusted<OverrideRow>;
    });
  }

  /** Like `set`, within a change to a locked tenant. */
  async make(
    change: Change,
    tenant: TenantRow,
    facts: NewOverride,
  ): Promise<Adjusted<OverrideRow> | Refusal<Adjusted<OverrideRow>>> {
    return onlyOf(await this.makeAll(change, [{ change, tenant, input: facts }]));
  }

  private async makeAll(
    change: Change,
    changes: readonly TenantChange<NewOverride>[],
  ): Promise<Adjusted<OverrideRow>[] | Refusal<Adjusted<OverrideRow>[]>> {
    const { tx, caller } = change;
    const now = this.clock.now();
    const live = await this.overrides.listLive(
      tx,
      changes.map(({ tenant }) => tenant.id),
      now,
    );
    const targets = new Map(live.map((row) => [targetKey(row.tenantId, row), row]));
    const drafts = changes.map(({ change: own, tenant, input }) => {
      const { kind, apiKey = null, limit: limitName = null, appliesTo } = input;
      const target = {
        kind,
        apiKey,
        limitName,
        appliesTo: appliesTo === undefined ? null : upper(appliesTo),
      };
      const old = targets.get(targetKey(tenant.id, target)) ?? null;
      return { change: own, tenant, facts: input, target, old };
    });
    const present = drafts.map(({ tenant, old }) => ({ tenant, row: old, warnings: [] }));
    const rejected = drafts.flatMap(({ old, facts }, index) => {
      const problem = old === null ? undefined : findReplacementProblem(caller, old, facts);
      return problem === undefined ? [] : errorsAt(index, [problem]);
    });
    if (rejected.length > 0) return refuse(rejected, present);
    const olds = drafts.flatMap(({ old }) => old ?? []);
    await this.overrides.remove(tx, olds, now, caller.actor.label);
    const found = await this.adjustments.checkAll(
      change,
      drafts.map(({ tenant, facts, old }) => {
        const draft = { source: sourceOfOverride(facts), ...toTarget(facts) };
        return { tenant, drafts: [{ draft, replaces: old?.id }] };
      }),
    );
    const errors = found.flatMap((one, index) => errorsAt(index, one.errors));
    if (errors.length > 0)
      return refuse(
        errors,
        drafts.map(({ tenant }) => ({ tenant, row: null, warnings: [] })),
      );
    const rows = await this.overrides.create(
      tx,
      drafts.map(({ tenant, facts, target, old }) => ({
        ...target,
        id: newId('override'),
        tenantId: tenant.id,
        effect: facts.effect,
        reason: facts.reason ?? '',
        startsAt: facts.startsAt,
        endsAt: facts.endsAt,
        carryOver: facts.carryOver,
        managedBy: old?.managedBy ?? 'CONSOLE',
        createdBy: caller.actor.label,
        createdAt: now,
      })),
    );
    for (const [index, { change: own, tenant, old }] of drafts.entries()) {
      const row = rows[index] as OverrideRow;
      await own.audit({
        action: ACTIONS[row.kind].made,
        entityId: row.id,
        entityName: row.limitName ?? 'all limits',
        tenantKey: tenant.key,
        before: old === null ? null : factsOf(old),
        after: factsOf(row),
      });
    }
    const plans = drafts.map(({ tenant, facts: { startsAt, carryOver } }) => ({
      tenant,
      carryOver: startsAt <= now ? carryOver : CarryOver.KEEP,
    }));
    const changed = await this.planner.replan(change, plans);
    const adjusted = changed.map((tenant, index) => ({
      ...{ tenant, row: rows[index] as OverrideRow, warnings: found[index]?.warnings ?? [] },
    }));
    for (const [index, { tenant, row }] of adjusted.entries()) {
      const purchases = found[index]?.hiddenPurchases.join(', ') ?? '';
      if (purchases === '') continue;
      const data = { tenant: tenant.key, purchases, overrideId: row.id };
      await change.notify({ kind: 'override.hides_purchase', data });
    }
    return adjusted;
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
    return this.adjustments.change(caller, options, async (change, tenant) =>
      onlyOf(await this.endAll(change, [{ change, tenant, input }])),
    );
  }

  /** Removes overrides of configurations, of different tenants. Errors have the index of their input before their field. */
  async removeAll(
    caller: Caller,
    inputs: readonly (OverrideRemoveInput & { tenantKey: string })[],
  ): Promise<Outcome<Adjusted<OverrideRow>[]>> {
    const parsed = parseInputs(overrideRemoveSchema, inputs);
    if (!parsed.ok) return refuse(parsed.errors);
    const ends = parsed.data.map((data, index) => ({
      ...{ ...data, tenantKey: inputs[index]?.tenantKey ?? '', expectedVersion: null },
      ...{ kind: OverrideKind.OVERRIDE, field: 'overrideId' },
    }));
    return this.adjustments.changeAll(caller, ends, (change, ended) => this.endAll(change, ended));
  }

  private async endAll(
    change: Change,
    ends: readonly TenantChange<{
      overrideId: string;
      kind: OverrideKind;
      field: string;
      reason: string | null;
    }>[],
  ): Promise<Adjusted<OverrideRow>[] | Refusal<Adjusted<OverrideRow>[]>> {
    const { tx, caller } = change;
    const now = this.clock.now();
    const found = await this.overrides.listByIds(
      ends.map(({ input }) => input.overrideId),
      tx,
    );
    const byId = new Map(found.map((row) => [row.id, row]));
    const rows: OverrideRow[] = [];
    const errors = ends.flatMap(({ tenant, input: { overrideId, kind, field, reason } }, index) => {
      const live = byId.get(overrideId);
      if (live === undefined || live.tenantId !== tenant.id || live.removedAt !== null || isOver(live, now))
        return errorsAt(index, [invalid([field], `The ${kind.toLowerCase()} has already ended.`)]);
      rows.push(live);
      const managed = findManaged(caller, live, 'override', reason);
      return managed === undefined ? [] : errorsAt(index, [managed]);
    });
    if (errors.length > 0) return refuse(errors);
    return this.finish(
      change,
      ends.map((one, index) => ({ ...one, live: rows[index] as OverrideRow })),
    );
  }

  /** Removes live overrides of different tenants. */
  private async finish(
    change: Change,
    ends: readonly { change: Change; tenant: TenantRow; live: OverrideRow }[],
  ): Promise<Adjusted<OverrideRow>[]> {
    const { tx, caller } = change;
    const lives = ends.map(({ live }) => live);
    const rows = await this.overrides.remove(tx, lives, this.clock.now(), caller.actor.label);
    for (const { change: own, tenant, live } of ends) {
      await own.audit({
        action: ACTIONS[live.kind].ended,
        entityId: live.id,
        entityName: live.limitName ?? 'all limits',
        tenantKey: tenant.key,
        before: factsOf(live),
        after: null,
      });
    }
    const plans = ends.map(({ tenant, live }) => ({ tenant, carryOver: ruleOfEnd(live.carryOver) }));
    const changed = await this.planner.replan(change, plans);
    return changed.map((tenant, index) => ({ tenant, row: rows[index] as OverrideRow, warnings: [] }));
  }
}

const isOver = ({ endsAt }: OverrideRow, now: Date) => endsAt !== null && endsAt <= now;

function targetKey(tenantId: string, { kind, apiKey, limitName, appliesTo }: OverrideTarget): string {
  return JSON.stringify([tenantId, kind, apiKey, limitName, appliesTo]);
}

function findReplacementProblem(
  caller: Caller,
  old: OverrideRow,
  { kind, reason }: NewOverride,
): UserError | undefined {
  if (kind !== OverrideKind.BOOST) return findManaged(caller, old, 'override', reason);
  const message = `A boost for the same limits runs until ${old.endsAt?.toISOString()}. End it first.`;
  return userError(UserErrorCode.TAKEN, ['limit'], message);
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
