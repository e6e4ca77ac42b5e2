import { Injectable } from '@nestjs/common';
import type { Catalogue } from '@tollgate/contracts';
import type { Caller } from '../../platform/access/actor.js';
import type { Change } from '../../platform/changes/change.js';
import { ChangeRunner } from '../../platform/changes/change-runner.js';
import { findManaged } from '../../platform/changes/managed.js';
import { notFound, type Outcome, parseInput, refuse, userError } from '../../platform/changes/outcome.js';
import { Clock } from '../../platform/clock/clock.js';
import { type UserError, UserErrorCode } from '../../platform/graphql/user-error.graphql.js';
import { type CarryOver, PublishAudience } from '../../platform/prisma/schema.js';
import { ApisRepository } from '../apis/index.js';
import { compileCatalogue, PolicyRepository } from '../distribution/index.js';
import { TiersRepository } from '../tiers/index.js';
import { RevisionHistoryRepository } from './revision-history.repository.js';
import type { PolicyRollback, PolicyRollbackInput } from './revisions.graphql.js';
import { RevisionsService } from './revisions.service.js';
import { RollbackRepository } from './rollback.repository.js';
import { isEmpty, planRollback, type RollbackPlan, rollbackSchema } from './rollback.rules.js';

/** A rollback copies versions of every tier. */
const ROLLBACK_MS = 60_000;

/** Takes nodes back to what they ran. */
@Injectable()
export class RollbackService {
  constructor(
    private readonly history: RevisionHistoryRepository,
    private readonly revisions: RevisionsService,
    private readonly policy: PolicyRepository,
    private readonly tiers: TiersRepository,
    private readonly apis: ApisRepository,
    private readonly rollbacks: RollbackRepository,
    private readonly changes: ChangeRunner,
    private readonly clock: Clock,
  ) {}

  /**
   * Brings tiers and APIs into the form in which nodes ran them under an earlier revision. Each tier whose limits differ gets
   * a new version with the limits of that time; tenants stay on their tiers, and pinned ones on their versions. Refused:
   * INVALID, NOT_FOUND, CONFLICT, NOTHING_TO_PUBLISH, MANAGED_BY_CONFIG.
   */
  async rollback(caller: Caller, input: PolicyRollbackInput): Promise<Outcome<PolicyRollback>> {
    const parsed = parseInput(rollbackSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { toRevision, expectedRevision, carryOver, reason } = parsed.data;
    return this.changes.run<PolicyRollback>(caller, { reason, timeout: ROLLBACK_MS }, async (change) => {
      await this.rollbacks.lockPolicy(change.tx);
      const newest = await this.history.newest(change.tx);
      if (newest?.number !== expectedRevision) return refuse([moved(newest?.number)]);
      const target = await this.revisions.findCatalogue(toRevision, change.tx);
      if (target === null)
        return refuse([notFound(['toRevision'], `revision ${toRevision} that is still kept`)]);
      const plan = planRollback(await this.compile(change), target);
      if (isEmpty(plan)) return refuse([nothingToDo(toRevision)]);
      const managed = await this.findManaged(change, plan, reason);
      if (managed !== undefined) return refuse([managed]);
      return this.carryOut(change, toRevision, plan, carryOver);
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
    const apiKeys = [...plan.apis.map(({ key }) => key), ...plan.unknownApis];
    const tierKeys = plan.tiers.map(({ key }) => key);
    for (const [what, managedBy] of await this.rollbacks.listManaged(change.tx, apiKeys, tierKeys)) {
      const managed = findManaged(change.caller, { managedBy }, what, reason);
      if (managed !== undefined) return managed;
    }
    return undefined;
  }

  private async carryOut(
    change: Change,
    toRevision: number,
    plan: RollbackPlan,
    carryOver: CarryOver,
  ): Promise<PolicyRollback> {
    const kept = [...plan.unknownTiers];
    for (const record of plan.apis) {
      await this.rollbacks.restoreApi(change.tx, record);
      await change.publish('CATALOGUE', `api:${record.key}`);
    }
    for (const tier of plan.tiers) {
      if (!(await this.restoreTier(change, toRevision, tier, carryOver))) kept.push(tier.key);
    }
    const removed: string[] = [];
    for (const key of plan.unknownApis) ((await this.removeApi(change, key)) ? removed : kept).push(key);
    const rollback: PolicyRollback = {
      toRevision,
      tiers: plan.tiers.map(({ key }) => key).filter((key) => !kept.includes(key)),
      apis: [...plan.apis.map(({ key }) => key), ...removed].sort(),
      kept: kept.sort(),
    };
    await change.audit({
      action: 'policy.rollback',
      entity: 'Policy',
      entityId: String(toRevision),
      before: null,
      after: { ...rollback, carryOver },
    });
    return rollback;
  }

  /** @returns false for a tier that is no more, or not in that version */
  private async restoreTier(
    change: Change,
    toRevision: number,
    { key, version, weight }: RollbackPlan['tiers'][number],
    carryOver: CarryOver,
  ): Promise<boolean> {
    const { tx, caller } = change;
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
    await change.publish('CATALOGUE', `tier:${key}`);
    return true;
  }

  /** Takes an API from the nodes that they did not know then, unless limits in force need it. */
  private async removeApi(change: Change, key: string): Promise<boolean> {
    const api = await this.apis.lockByKey(change.tx, key);
    if (api === null) return false;
    if ((await this.apis.listLimitsInForce(change.tx, api.id)).length > 0) return false;
    await this.apis.delete(change.tx, api.id, this.clock.now());
    await change.publish('CATALOGUE', `api:${key}`);
    return true;
  }
}

const moved = (newest: number | undefined) =>
  userError(
    UserErrorCode.CONFLICT,
    ['expectedRevision'],
    `Another revision was published in the meantime: ${newest ?? 'none'} is the newest. Look at the differences again.`,
  );

const nothingToDo = (toRevision: number) =>
  userError(
    UserErrorCode.NOTHING_TO_PUBLISH,
    ['toRevision'],
    `Nodes run what revision ${toRevision} says already.`,
  );
