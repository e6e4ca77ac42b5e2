import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../platform/access/actor.js';
import { ChangeRunner } from '../../../platform/changes/change-runner.js';
import {
  notFound,
  type Outcome,
  parseInput,
  refuse,
  taken,
  userError,
} from '../../../platform/changes/outcome.js';
import { Clock } from '../../../platform/clock/clock.js';
import { UserErrorCode } from '../../../platform/graphql/user-error.graphql.js';
import { LimitOrigin, TierVersionStatus } from '../../../platform/prisma/schema.js';
import { policyOf } from './limit-record.js';
import { tierDuplicateSchema, tierSchema } from './tier.rules.js';
import { TierChanges } from './tier-changes.js';
import type { TierDuplicateInput, TierLifecycleInput } from './tier-mutations.graphql.js';
import { toChecked } from './tier-publisher.js';
import { type TierRow, TiersRepository } from './tiers.repository.js';

/** How tiers come and go. */
@Injectable()
export class TierLifecycleService {
  constructor(
    private readonly tiers: TiersRepository,
    private readonly changes: ChangeRunner,
    private readonly tierChanges: TierChanges,
    private readonly clock: Clock,
  ) {}

  /**
   * Lets nobody come to the tier any more; who is on it stays. Refused: NOT_FOUND, CONFLICT, MANAGED_BY_CONFIG; INVALID when
   * it is archived already; IN_USE while sign-ups begin on it.
   */
  async archive(caller: Caller, input: TierLifecycleInput): Promise<Outcome<TierRow>> {
    const parsed = parseInput(tierSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    return this.tierChanges.run(caller, parsed.data, async (change, tier) => {
      if (tier.archivedAt !== null)
        return refuse([userError(UserErrorCode.INVALID, ['tierKey'], 'The tier is archived already.')], tier);
      if (tier.signUp) {
        const message = 'Tenants who sign up begin on it. Let them begin on another tier first.';
        return refuse([userError(UserErrorCode.IN_USE, ['tierKey'], message)], tier);
      }
      const facts = { action: 'tier.archive', entity: 'Tier', entityId: tier.id };
      await change.audit({ ...facts, before: { archived: false }, after: { archived: true } });
      return this.tiers.setArchived(change.tx, tier.id, this.clock.now());
    });
  }

  /** Opens an archived tier again. Refused: NOT_FOUND, CONFLICT, MANAGED_BY_CONFIG; INVALID when it is not archived. */
  async restore(caller: Caller, input: TierLifecycleInput): Promise<Outcome<TierRow>> {
    const parsed = parseInput(tierSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    return this.tierChanges.run(caller, parsed.data, async (change, tier) => {
      if (tier.archivedAt === null)
        return refuse([userError(UserErrorCode.INVALID, ['tierKey'], 'The tier is not archived.')], tier);
      const facts = { action: 'tier.restore', entity: 'Tier', entityId: tier.id };
      await change.audit({ ...facts, before: { archived: true }, after: { archived: false } });
      return this.tiers.setArchived(change.tx, tier.id, null);
    });
  }

  /**
   * Deletes a tier that never had a published version, with its draft. Refused: NOT_FOUND, CONFLICT, MANAGED_BY_CONFIG;
   * IN_USE when one was ever published: what tenants were on is kept.
   */
  async delete(caller: Caller, input: TierLifecycleInput): Promise<Outcome<TierRow | null>> {
    const parsed = parseInput(tierSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    return this.tierChanges.run<TierRow | null>(caller, parsed.data, async (change, tier) => {
      if (await this.tiers.wasPublished(change.tx, tier.id)) {
        const message = 'It was published: what tenants are or were on is kept. Archive it instead.';
        return refuse([userError(UserErrorCode.IN_USE, ['tierKey'], message)], tier);
      }
      await this.tiers.delete(change.tx, tier.id);
      const { key, name, description, rank, weight, tags } = tier;
      const before = { key, name, description, rank, weight, tags };
      await change.audit({ action: 'tier.delete', entity: 'Tier', entityId: tier.id, before, after: null });
      return null;
    });
  }

  /**
   * Makes a tier of another key with the same draft, or else the published limits as its draft. What the tier has from
   * defaults is left out: it gets that when it is published. Refused: INVALID, NOT_FOUND, TAKEN.
   */
  async duplicate(caller: Caller, input: TierDuplicateInput): Promise<Outcome<TierRow>> {
    const parsed = parseInput(tierDuplicateSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { tierKey, newKey, name, reason } = parsed.data;
    const onTaken = taken(['newKey'], 'This key');
    return this.changes.run<TierRow>(caller, { reason, onTaken }, async (change) => {
      const { tx } = change;
      const source = await this.tiers.findByKey(tierKey, tx);
      if (source === null) return refuse([notFound(['tierKey'], `tier "${tierKey}"`)]);
      const version =
        (await this.tiers.findByStatus(tx, source.id, TierVersionStatus.DRAFT)) ??
        (await this.tiers.findByStatus(tx, source.id, TierVersionStatus.PUBLISHED));
      const all =
        version === null ? [] : ((await this.tiers.listLimits([version.id], tx)).get(version.id) ?? []);
      const limits = all.filter(({ origin }) => origin === LimitOrigin.TIER);
      const { description, rank, weight, tags } = source;
      const data = { key: newKey, name, description, rank, weight, tags };
      const tier = await this.tiers.create(tx, data);
      if (limits.length > 0) {
        const draft = await this.tiers.createDraft(tx, tier.id);
        await this.tiers.replaceLimits(tx, draft.id, limits.map(toChecked), null);
      }
      const after = { ...data, copyOf: tierKey, limits: limits.map(policyOf) };
      await change.audit({
        action: 'tier.duplicate',
        entity: 'Tier',
        entityId: tier.id,
        before: null,
        after,
      });
      return tier;
    });
  }
}
