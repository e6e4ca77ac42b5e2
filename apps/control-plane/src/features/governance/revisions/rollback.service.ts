import { Injectable } from '@nestjs/common';
import type { Catalogue, PlatformRule } from '@tollgate/contracts';
import type { Caller } from '../../../platform/access/actor.js';
import { type Change, ChangeRunner, findManaged } from '../../../platform/changes/change.js';
import {
  notFound,
  type Outcome,
  parseInput,
  type Refusal,
  refuse,
  userError,
} from '../../../platform/changes/outcome.js';
import { Clock } from '../../../platform/clock.js';
import { type UserError, UserErrorCode } from '../../../platform/graphql/mutation.graphql.js';
import { type CarryOver, PublishAudience } from '../../../platform/prisma/schema.js';
import { ApisRepository, DefaultLimitsRepository, TiersRepository } from '../../catalogue/index.js';
import { SubjectRulesRepository, SubjectRulesService, showSubjectEffect } from '../../customers/index.js';
import {
  compileCatalogue,
  movedTo,
  PolicyRepository,
  RevisionsRepository,
} from '../../distribution/index.js';
import { type PolicyRollback, type PolicyRollbackInput, rollbackSchema } from './revisions.graphql.js';
import { RollbackRepository } from './revisions.repository.js';
import {
  defaultLimitsThen,
  isEmpty,
  nameOfRule,
  type OriginalLimit,
  planRollback,
  planRules,
  type RollbackPlan,
} from './revisions.rules.js';
import { RevisionsService } from './revisions.service.js';

/** Restores single tiers and APIs in the transaction of a change. */
@Injectable()
export class PolicyRestoration {
  constructor(
    private readonly tiers: TiersRepository,
    private readonly apis: ApisRepository,
    private readonly defaults: DefaultLimitsRepository,
    private readonly rollbacks: RollbackRepository,
    private readonly clock: Clock,
  ) {}

  /** Restores limits and weight of a tier. @returns false if the tier or version no longer exists */
  async restoreTier(
    { tx, caller }: Change,
    toRevision: number,
    { key, version, weight }: RollbackPlan['tiers'][number],
    carryOver: CarryOver,
  ): Promise<boolean> {
    const tier = await this.tiers.findByKey(key, tx);
    if (tier === null) return false;
    if (version !== undefined) {
      if ((await this.tiers.findVersion(tier.id, version, tx)) === null) return false;
      const draft = await this.tiers.createAutomatic(tx, tier.id, `As in revision ${toRevision}`);
      await this.rollbacks.copyLimits(tx, tier.id, version, draft.id);
      await this.tiers.publishDraft(tx, draft, {
        publishedBy: caller.actor.label,
        publishedAt: this.clock.now(),
        carryOver,
        audience: PublishAudience.EVERYONE_NOW,
        cohort: null,
      });
    }
    await this.rollbacks.setWeight(tx, tier.id, weight);
    return true;
  }

  /** Deletes an API that the revision does not have, unless published limits use it. */
  async removeApi({ tx }: Change, key: string): Promise<boolean> {
    const api = await this.apis.lockByKey(tx, key);
    if (api === null) return false;
    if ((await this.apis.listLiveLimits(tx, api)).length > 0) return false;
    await this.apis.delete(tx, api.id, this.clock.now());
    return true;
  }

  /** Default limits of the catalogue's APIs that differ from the current ones, by API key. */
  async planDefaults({ tx }: Change, { tiers, apis }: Catalogue): Promise<Map<string, OriginalLimit[]>> {
    const versions: OriginalLimit[][] = [];
    for (const { key, currentVersion } of tiers) {
      const tier = await this.tiers.findByKey(key, tx);
      const version = tier && (await this.tiers.findVersion(tier.id, currentVersion, tx));
      if (version !== null)
        versions.push((await this.tiers.listLimits([version.id], tx)).get(version.id) ?? []);
    }
    const ids = await this.rollbacks.listApiIds(
      tx,
      apis.map(({ key }) => key),
    );
    const now = await this.defaults.list('all', tx);
    return new Map(
      [...ids].flatMap(([key, id]): [string, OriginalLimit[]][] => {
        const then = defaultLimitsThen(id, versions, now.get(id) ?? []);
        return then === null ? [] : [[key, then]];
      }),
    );
  }

  async restoreDefaults({ tx }: Change, key: string, limits: readonly OriginalLimit[]): Promise<void> {
    const api = await this.apis.lockByKey(tx, key);
    if (api === null) return;
    await this.defaults.replace(tx, api.id, limits);
    await this.apis.raiseVersion(tx, api.id);
  }
}

/** Restores rules for subjects of all tenants in the transaction of a change. */
@Injectable()
export class RuleRestoration {
  constructor(
    private readonly policy: PolicyRepository,
    private readonly rules: SubjectRulesService,
    private readonly rows: SubjectRulesRepository,
    private readonly clock: Clock,
  ) {}

  /** Serializes changes of the rules until the transaction ends. */
  lock({ tx }: Change): Promise<void> {
    return this.rows.lockPlatform(tx);
  }

  async plan({ tx }: Change, target: Catalogue): Promise<RollbackPlan['rules']> {
    const now = this.clock.now().getTime();
    return planRules(await this.policy.listPlatformRules(tx), target.subjectRules, now);
  }

  /** Rules keep their reasons. @returns the errors of the first rule that cannot be changed */
  async restore(change: Change, plan: RollbackPlan['rules'], reason: string): Promise<UserError[]> {
    for (const { id } of plan.remove) {
      const removed = await this.rules.remove(change.caller, { id, reason });
      if (!removed.ok) return removed.errors;
    }
    for (const rule of plan.set) {
      const set = await this.rules.set(change.caller, await this.inputOf(change, rule, reason));
      if (!set.ok) return set.errors;
    }
    return [];
  }

  private async inputOf({ tx }: Change, rule: PlatformRule, reason: string) {
    const { id, dimension, pattern, api, effect, fromMs = 0, untilMs } = rule;
    const isAhead = fromMs > this.clock.now().getTime();
    return {
      ...{ dimension, pattern, apiKey: api ?? null, effect: { ...showSubjectEffect(effect) } },
      startsAt: isAhead ? new Date(fromMs) : null,
      expiresAt: untilMs === undefined ? null : new Date(untilMs),
      reason: (await this.rows.findById(id, tx))?.reason || reason,
    };
  }
}

/** A rollback copies versions of every tier. */
const ROLLBACK_MS = 60_000;

/** Rolls the policy back to an earlier revision. */
@Injectable()
export class RollbackService {
  constructor(
    private readonly published: RevisionsRepository,
    private readonly revisions: RevisionsService,
    private readonly policy: PolicyRepository,
    private readonly rollbacks: RollbackRepository,
    private readonly restoration: PolicyRestoration,
    private readonly rules: RuleRestoration,
    private readonly changes: ChangeRunner,
  ) {}

  /**
   * Restores tiers, APIs, default limits and platform rules as of an earlier revision. Each tier with different limits gets a new version;
   * tenants stay on their tiers, pinned ones on their versions. Errors: INVALID, NOT_FOUND, CONFLICT, NOTHING_TO_PUBLISH,
   * MANAGED_BY_CONFIG.
   */
  async rollback(caller: Caller, input: PolicyRollbackInput): Promise<Outcome<PolicyRollback>> {
    const parsed = parseInput(rollbackSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { toRevision, expectedRevision, carryOver, subjectRules, reason } = parsed.data;
    return this.changes.run<PolicyRollback>(caller, { reason, timeout: ROLLBACK_MS }, async (change) => {
      await this.rollbacks.lockPolicy(change.tx);
      if (subjectRules) await this.rules.lock(change);
      const current = await this.published.findCurrent(change.tx);
      if (current !== expectedRevision) return refuse([movedTo(current)]);
      const target = await this.revisions.findCatalogue(toRevision, change.tx);
      if (target === null) return refuse([notFound(['toRevision'], `stored revision ${toRevision}`)]);
      const comparison = planRollback(await this.compile(change), target);
      const plan = {
        ...comparison,
        defaults: await this.restoration.planDefaults(change, target),
        rules: subjectRules ? await this.rules.plan(change, target) : { set: [], remove: [] },
      };
      if (isEmpty(plan)) return refuse([nothingToDo(toRevision)]);
      const managed = await this.findManaged(change, plan, reason);
      if (managed !== undefined) return refuse([managed]);
      return this.restore(change, plan, { toRevision, carryOver, reason: reason ?? '' });
    });
  }

  private async compile({ tx }: Change): Promise<Catalogue> {
    const [apis, tiers] = [await this.policy.listApis(tx), await this.policy.listTiers(tx)];
    return compileCatalogue(1, { apis, tiers, serviceTokens: [] });
  }

  private async findManaged(
    change: Change,
    plan: RollbackPlan,
    reason: string | null,
  ): Promise<UserError | undefined> {
    const apiKeys = [...keysOfApis(plan), ...plan.unknownApis];
    const tierKeys = plan.tiers.map(({ key }) => key);
    for (const [what, managedBy] of await this.rollbacks.listManaged(change.tx, apiKeys, tierKeys)) {
      const managed = findManaged(change.caller, { managedBy }, what, reason);
      if (managed !== undefined) return managed;
    }
    return undefined;
  }

  private async restore(
    change: Change,
    plan: RollbackPlan,
    { toRevision, carryOver, reason }: { toRevision: number; carryOver: CarryOver; reason: string },
  ): Promise<PolicyRollback | Refusal<PolicyRollback>> {
    const kept = [...plan.unknownTiers];
    for (const record of plan.apis) {
      await this.rollbacks.restoreApi(change.tx, record);
      change.publish('CATALOGUE', `api:${record.key}`);
    }
    for (const [key, limits] of plan.defaults) await this.restoration.restoreDefaults(change, key, limits);
    for (const tier of plan.tiers) {
      if (await this.restoration.restoreTier(change, toRevision, tier, carryOver))
        change.publish('CATALOGUE', `tier:${tier.key}`);
      else kept.push(tier.key);
    }
    const errors = await this.rules.restore(change, plan.rules, reason);
    if (errors.length > 0) return refuse(errors.map((error) => ({ ...error, field: null })));
    const removed: string[] = [];
    for (const key of plan.unknownApis) {
      const isRemoved = await this.restoration.removeApi(change, key);
      (isRemoved ? removed : kept).push(key);
      if (isRemoved) change.publish('CATALOGUE', `api:${key}`);
    }
    const rollback: PolicyRollback = {
      toRevision,
      tiers: plan.tiers.map(({ key }) => key).filter((key) => !kept.includes(key)),
      apis: [...new Set([...keysOfApis(plan), ...removed])].sort(),
      subjectRules: [...plan.rules.set, ...plan.rules.remove].map(nameOfRule).sort(),
      kept: kept.sort(),
    };
    await change.audit({
      action: 'policy.rollback',
      entityId: String(toRevision),
      entityName: `revision ${toRevision}`,
      before: null,
      after: { ...rollback, defaultLimits: [...plan.defaults.keys()], carryOver },
    });
    return rollback;
  }
}

/** Keys of the APIs to change. */
function keysOfApis({ apis, defaults }: RollbackPlan): string[] {
  return [...new Set([...apis.map(({ key }) => key), ...defaults.keys()])];
}

const nothingToDo = (toRevision: number) =>
  userError(
    UserErrorCode.NOTHING_TO_PUBLISH,
    ['toRevision'],
    `The policy already matches revision ${toRevision}.`,
  );
