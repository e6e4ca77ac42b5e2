import { Injectable } from '@nestjs/common';
import { Field, InputType, Mutation, ObjectType, Resolver } from '@nestjs/graphql';
import { tierKeySchema } from '@tollgate/contracts';
import type { AuditAction } from '@tollgate/contracts/audit-actions';
import * as z from 'zod';
import type { Caller } from '../../../platform/access/actor.js';
import { jobActor } from '../../../platform/access/actor.js';
import { CurrentCaller, RequirePermission } from '../../../platform/access/require-permission.decorator.js';
import { type Change, ChangeRunner } from '../../../platform/changes/change.js';
import {
  invalid,
  notFound,
  type Outcome,
  optionalNote,
  orDefault,
  parseInput,
  refuse,
} from '../../../platform/changes/outcome.js';
import { Clock } from '../../../platform/clock.js';
import { FORCE, Input, MutationInput, MutationPayload } from '../../../platform/graphql/mutation.graphql.js';
import { field, InputOf, ObjectOf } from '../../../platform/graphql/object-of.js';
import { newId } from '../../../platform/ids.js';
import { type Job, ScheduledJob } from '../../../platform/jobs/jobs-runner.js';
import { TierVersionStatus } from '../../../platform/prisma/schema.js';
import { cohortSchema, Tier, type TierRow, TiersRepository } from '../../catalogue/index.js';
import { SubscriptionsRepository } from '../tenants/subscriptions.repository.js';
import { carryOver } from '../tenants/tenants.graphql.js';
import { type DueTenant, type RolloutFilter, RolloutsRepository } from './rollouts.repository.js';

const rolloutSchema = z.object({
  tierKey: tierKeySchema.describe('Key of the tier.'),
  carryOver,
  reason: optionalNote,
});

const extendSchema = rolloutSchema.extend({
  cohort: cohortSchema.describe('The cohort; a percentage includes the tenants of a smaller one.'),
});

@InputType({ description: 'Expands a cohort rollout to more tenants.' })
export class TierCohortExtendInput extends InputOf(extendSchema, MutationInput) {}

const migrateSchema = rolloutSchema.extend({
  fromVersion: z
    .int()
    .min(1, 'fromVersion must be 1 or more')
    .nullish()
    .transform((number) => number ?? null)
    .describe('Only tenants on this version; omitted: any earlier version.'),
  includePinned: orDefault(z.boolean(), false).meta({
    description: 'Also tenants pinned manually, not only those pinned by a rollout.',
    defaultValue: false,
  }),
});

@InputType({ description: 'Moves tenants on earlier versions of a tier to the published one.' })
export class TierMigrateInput extends InputOf(migrateSchema, MutationInput) {
  @Field({
    ...FORCE,
    description:
      'With includePinned: also tenants pinned by a configuration file; requires a reason. The next `configApply` pins them again.',
  })
  force?: boolean;
}

@ObjectType({ description: 'Outcome of moving tenants to the published version.' })
export class RolloutPayload extends ObjectOf(MutationPayload, {
  tier: field.of(() => Tier, 'The tier.').nullable(),
  tenants: field.int('Number of tenants that a job moves now, several hundred per second; 0 on failure.'),
}) {}

/** One statement may update a hundred thousand tenants. */
const TIMEOUT_MS = 60_000;

/** A tier and the number of its tenants that will move. */
export interface Rollout {
  tier: TierRow;
  tenants: number;
}

/** Moves tenants that a gradual rollout has not reached to the published version. */
@Injectable()
export class RolloutsService {
  constructor(
    private readonly rollouts: RolloutsRepository,
    private readonly subscriptions: SubscriptionsRepository,
    private readonly tiers: TiersRepository,
    private readonly changes: ChangeRunner,
    private readonly clock: Clock,
  ) {}

  /** Expands a cohort rollout. Errors: INVALID, NOT_FOUND. */
  async extend(caller: Caller, input: TierCohortExtendInput): Promise<Outcome<Rollout>> {
    const parsed = parseInput(extendSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const who = { fromVersion: null, cohort: parsed.data.cohort, includePinned: false };
    return this.schedule(caller, 'tier.cohortExtend', parsed.data, who);
  }

  /**
   * Moves tenants on earlier versions, except those pinned by a configuration file, to the published one.
   * Errors: INVALID, NOT_FOUND.
   */
  async migrate(caller: Caller, input: TierMigrateInput): Promise<Outcome<Rollout>> {
    const parsed = parseInput(migrateSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { fromVersion, includePinned } = parsed.data;
    return this.schedule(caller, 'tier.migrate', parsed.data, { fromVersion, cohort: null, includePinned });
  }

  /**
   * Moves due tenants, or one due tenant, to the published version in one change, `most` at a time, and notifies them. Returns
   * their number.
   */
  async moveDue(caller: Caller, most: number, tenantId?: string): Promise<number> {
    const now = this.clock.now();
    if (!(await this.rollouts.isAnyDue(now, tenantId))) return 0;
    const outcome = await this.changes.run<number>(
      caller,
      { reason: null, timeout: TIMEOUT_MS },
      async (change) =>
        this.moveSome(change, now, await this.rollouts.lockDue(change.tx, now, most, tenantId)),
    );
    return outcome.ok ? outcome.value : 0;
  }

  /** When a tenant moves to the published version, in billing time; null: not scheduled. */
  findFollowsAt(tenantId: string): Promise<Date | null> {
    return this.rollouts.findFollowsAt(tenantId);
  }

  private async moveSome(change: Change, now: Date, due: readonly DueTenant[]): Promise<number> {
    const { tx } = change;
    const published = new Map<string, number>();
    for (const { tierId } of due)
      if (!published.has(tierId)) published.set(tierId, await this.tiers.getPublishedNumber(tx, tierId));
    const versionOf = (tierId: string) => published.get(tierId) as number;
    await this.subscriptions.move(
      tx,
      due.map(({ tierId, carryOver, ...tenant }) => ({
        tenant,
        target: { tierId, version: versionOf(tierId), isPinned: false },
        carryOver,
      })),
    );
    for (const { id, key, name, tierId, tierKey, fromVersion, carryOver } of due) {
      const version = versionOf(tierId);
      await change.audit({
        action: 'tenant.versionFollow',
        entityId: id,
        entityName: name,
        tenantKey: key,
        before: { tierKey, version: fromVersion },
        after: { tierKey, version, carryOver },
      });
      await change.notify({
        kind: 'subscription.moved',
        tenant: { id, key },
        data: { tenant: key, tier: tierKey, version, from: fromVersion },
        dedupeKey: `subscription.moved/${id}/${fromVersion}/${version}/${now.toISOString()}`,
      });
    }
    await this.rollouts.raiseVersions(
      tx,
      due.map(({ id }) => id),
    );
    change.publish(
      'TENANT',
      due.map(({ key }) => key),
    );
    return due.length;
  }

  private schedule(
    caller: Caller,
    action: AuditAction,
    { tierKey, carryOver, reason }: z.output<typeof rolloutSchema>,
    who: Pick<RolloutFilter, 'fromVersion' | 'cohort' | 'includePinned'>,
  ): Promise<Outcome<Rollout>> {
    const includeKept = caller.force === true;
    if (includeKept && reason === null) {
      return Promise.resolve(refuse([invalid(['reason'], '`reason` is required with `force`.')]));
    }
    return this.changes.run<Rollout>(caller, { reason, timeout: TIMEOUT_MS }, async (change) => {
      const tier = await this.tiers.lockByKey(change.tx, tierKey);
      if (tier === null) return refuse([notFound(['tierKey'], `tier "${tierKey}"`)]);
      const published = await this.tiers.findByStatus(change.tx, tier.id, TierVersionStatus.PUBLISHED);
      if (published === null) {
        return refuse([invalid(['tierKey'], 'This tier has no published version.')]);
      }
      const filter = { ...who, includeKept, tier, published: published.number };
      const tenants = await this.rollouts.schedule(change.tx, filter, this.clock.now(), carryOver);
      const after = { ...who, carryOver, tenants, version: published.number };
      await change.audit({
        action,
        entityId: tier.id,
        entityName: `${tier.name} v${published.number}`,
        entityKey: tier.key,
        before: null,
        after,
      });
      return { tier, tenants };
    });
  }
}

/** Tenants per change, few enough to hold their locks only briefly. */
const TENANTS_PER_CHANGE = 100;

/** Moves tenants pinned by a rollout to the published version when they are due. */
@Injectable()
@ScheduledJob({ name: 'follow-tiers', everyMs: 1000 })
export class FollowTiersJob implements Job {
  constructor(private readonly rollouts: RolloutsService) {}

  async run(): Promise<void> {
    const actor = jobActor('follow-tiers');
    for (;;) {
      const moved = await this.rollouts.moveDue({ actor, requestId: newId('request') }, TENANTS_PER_CHANGE);
      if (moved < TENANTS_PER_CHANGE) return;
    }
  }
}

@Resolver()
export class RolloutsResolver {
  constructor(private readonly service: RolloutsService) {}

  @RequirePermission('tiers:write')
  @Mutation(() => RolloutPayload, {
    name: 'tierCohortExtend',
    description: 'Expands a gradual rollout to more tenants.',
  })
  async extend(@Input() input: TierCohortExtendInput, @CurrentCaller() caller: Caller) {
    return payload(await this.service.extend(caller, input));
  }

  @RequirePermission('tiers:write')
  @Mutation(() => RolloutPayload, {
    name: 'tierMigrate',
    description: 'Moves tenants on earlier versions of a tier to the published version.',
  })
  async migrate(@Input() input: TierMigrateInput, @CurrentCaller() caller: Caller) {
    return payload(await this.service.migrate(caller, input));
  }
}

function payload(outcome: Outcome<Rollout>) {
  return outcome.ok
    ? { ...outcome.value, userErrors: [] }
    : { tier: outcome.current?.tier ?? null, tenants: 0, userErrors: outcome.errors };
}
