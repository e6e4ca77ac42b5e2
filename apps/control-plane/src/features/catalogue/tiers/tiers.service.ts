import { Injectable } from '@nestjs/common';
import { apiKeySchema, tierKeySchema } from '@tollgate/contracts';
import type { Caller } from '../../../platform/access/actor.js';
import type { Change } from '../../../platform/changes/change.js';
import { ChangeRunner } from '../../../platform/changes/change-runner.js';
import {
  notFound,
  type Outcome,
  parseInput,
  refuse,
  taken,
  userError,
} from '../../../platform/changes/outcome.js';
import { type UserError, UserErrorCode } from '../../../platform/graphql/user-error.graphql.js';
import { LimitOrigin, TierVersionStatus } from '../../../platform/prisma/schema.js';
import type { LimitInput } from './limit-input.graphql.js';
import { policyOf } from './limit-record.js';
import {
  checkDraft,
  tierCreateSchema,
  tierDraftSchema,
  tierPublishSchema,
  tierSchema,
  tierUpdateSchema,
} from './tier.rules.js';
import { TierChanges } from './tier-changes.js';
import type {
  TierCreateInput,
  TierDraftDiscardInput,
  TierDraftSaveInput,
  TierPublishInput,
  TierUpdateInput,
} from './tier-mutations.graphql.js';
import { TierPublisher, toChecked } from './tier-publisher.js';
import { type TierRow, TiersRepository } from './tiers.repository.js';

/** What can be done to tiers and their drafts. */
@Injectable()
export class TiersService {
  constructor(
    private readonly tiers: TiersRepository,
    private readonly publisher: TierPublisher,
    private readonly changes: ChangeRunner,
    private readonly tierChanges: TierChanges,
  ) {}

  async findByKey(key: string): Promise<TierRow | null> {
    return tierKeySchema.safeParse(key).success ? this.tiers.findByKey(key) : null;
  }

  /** Creates a tier without any version. Refused: TAKEN. */
  async create(caller: Caller, input: TierCreateInput): Promise<Outcome<TierRow>> {
    const parsed = parseInput(tierCreateSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { reason, ...data } = parsed.data;
    return this.changes.run(caller, { reason, onTaken: taken(['key'], 'This key') }, async (change) => {
      const tier = await this.tiers.create(change.tx, data);
      await change.audit({
        action: 'tier.create',
        entity: 'Tier',
        entityId: tier.id,
        before: null,
        after: data,
      });
      return tier;
    });
  }

  /**
   * Changes a tier itself: its names, its place, its weight, its labels, whether sign-ups begin on it. Refused: INVALID,
   * NOT_FOUND, CONFLICT, MANAGED_BY_CONFIG.
   */
  async update(caller: Caller, input: TierUpdateInput): Promise<Outcome<TierRow>> {
    const parsed = parseInput(tierUpdateSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const given = parsed.data;
    return this.tierChanges.run(caller, given, async (change, tier) => {
      const before = factsOf(tier);
      const after = {
        name: given.name ?? before.name,
        description: given.description ?? before.description,
        rank: given.rank ?? before.rank,
        weight: given.weight ?? before.weight,
        tags: given.tags ?? before.tags,
        signUp: given.signUp ?? before.signUp,
      };
      if (after.signUp && !before.signUp) {
        const problem = await this.checkSignUp(change, tier);
        if (problem !== undefined) return refuse([problem], tier);
        await this.tiers.clearSignUp(change.tx);
      }
      await this.tiers.update(change.tx, tier.id, after);
      await change.audit({ action: 'tier.update', entity: 'Tier', entityId: tier.id, before, after });
      await change.publish('CATALOGUE', `tier:${tier.key}`);
      return this.tiers.raiseVersion(change.tx, tier.id);
    });
  }

  /** Replaces the draft's limits, making a draft when there is none. Refused: INVALID, NOT_FOUND, CONFLICT. */
  async saveDraft(caller: Caller, input: TierDraftSaveInput): Promise<Outcome<TierRow>> {
    const parsed = parseInput(tierDraftSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { note } = parsed.data;
    return this.tierChanges.run(caller, parsed.data, async (change, tier) => {
      const errors = await this.replaceDraft(change, tier, input.limits, note);
      return errors.length > 0 ? refuse(errors, tier) : this.tiers.raiseVersion(change.tx, tier.id);
    });
  }

  /** Drops the draft. Refused: NOT_FOUND, CONFLICT. */
  async discardDraft(caller: Caller, input: TierDraftDiscardInput): Promise<Outcome<TierRow>> {
    const parsed = parseInput(tierSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    return this.tierChanges.run(caller, parsed.data, async (change, tier) => {
      const draft = await this.tiers.findByStatus(change.tx, tier.id, TierVersionStatus.DRAFT);
      if (draft === null) return refuse([notFound(['tierKey'], 'draft of this tier')], tier);
      const before = await this.describe(change, draft.id, draft.note);
      await this.tiers.deleteDraft(change.tx, draft.id);
      await change.audit({
        action: 'tier.draftDiscard',
        entity: 'Tier',
        entityId: tier.id,
        before,
        after: null,
      });
      return this.tiers.raiseVersion(change.tx, tier.id);
    });
  }

  /**
   * Puts the draft in force, or the limits that are given, with the default limits that they do not have, for its audience.
   * Refused: NOTHING_TO_PUBLISH, NOT_FOUND, CONFLICT; INVALID for what cannot be in force, such as a limit that can never
   * be reached.
   */
  async publish(caller: Caller, input: TierPublishInput): Promise<Outcome<TierRow>> {
    const parsed = parseInput(tierPublishSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { carryOver, audience, cohort, note } = parsed.data;
    return this.tierChanges.run(caller, parsed.data, async (change, tier) => {
      const errors = input.limits ? await this.replaceDraft(change, tier, input.limits, note) : [];
      if (errors.length > 0) return refuse(errors, tier);
      const draft = await this.tiers.findByStatus(change.tx, tier.id, TierVersionStatus.DRAFT);
      if (draft === null) return refuse([nothingToPublish('This tier has no draft.')], tier);
      const own = (await this.tiers.listLimits([draft.id], change.tx)).get(draft.id) ?? [];
      const limits = await this.publisher.complete(change, own.map(toChecked));
      if (limits.length === 0) return refuse([nothingToPublish('The draft has no limits.')], tier);
      const problems = await this.publisher.check(change, limits);
      if (problems.length > 0) return refuse(problems, tier);
      const current = await this.tiers.findByStatus(change.tx, tier.id, TierVersionStatus.PUBLISHED);
      const before = current === null ? null : await this.describe(change, current.id, current.note);
      const terms = { publishedBy: caller.actor.label, carryOver, audience, cohort };
      await this.publisher.publish(change, tier, draft, limits, terms);
      const content = { note: draft.note, limits: own.map(policyOf) };
      const after = { ...content, carryOver, audience, ...(cohort === null ? {} : { cohort }) };
      await change.audit({ action: 'tier.publish', entity: 'Tier', entityId: tier.id, before, after });
      return this.tiers.raiseVersion(change.tx, tier.id);
    });
  }

  /** Gives the tier a draft of these limits; what keeps it from that otherwise. */
  private async replaceDraft(
    change: Change,
    tier: TierRow,
    limits: readonly LimitInput[],
    note: string | null,
  ): Promise<UserError[]> {
    // Only what may be a key reaches the database: it refuses some characters.
    const named = limits.filter(({ apiKey }) => apiKeySchema.safeParse(apiKey).success);
    const checked = checkDraft(limits, await this.publisher.knownApis(change, named));
    if (!checked.ok) return checked.errors;
    const existing = await this.tiers.findByStatus(change.tx, tier.id, TierVersionStatus.DRAFT);
    const draft = existing ?? (await this.tiers.createDraft(change.tx, tier.id));
    const before = existing === null ? null : await this.describe(change, existing.id, existing.note);
    await this.tiers.replaceLimits(change.tx, draft.id, checked.limits, note);
    const after = { number: draft.number, note, limits: checked.limits.map((limit) => limit.policy) };
    await change.audit({ action: 'tier.draftSave', entity: 'Tier', entityId: tier.id, before, after });
    return [];
  }

  private async checkSignUp(change: Change, tier: TierRow): Promise<UserError | undefined> {
    const published = await this.tiers.findByStatus(change.tx, tier.id, TierVersionStatus.PUBLISHED);
    const invalid = (message: string) => userError(UserErrorCode.INVALID, ['signUp'], message);
    if (published === null) return invalid('Nobody can begin on a tier that has no published version yet.');
    return tier.archivedAt === null ? undefined : invalid('Nobody can begin on an archived tier.');
  }

  /** What the tier itself says in a version: what it has of defaults comes and goes with those. */
  private async describe(change: Change, versionId: string, note: string | null) {
    const limits = (await this.tiers.listLimits([versionId], change.tx)).get(versionId) ?? [];
    const own = limits.filter(({ origin }) => origin === LimitOrigin.TIER);
    return { note, limits: own.map(policyOf) };
  }
}

function nothingToPublish(message: string): UserError {
  return userError(UserErrorCode.NOTHING_TO_PUBLISH, ['tierKey'], message);
}

function factsOf({ name, description, rank, weight, tags, signUp }: TierRow) {
  return { name, description, rank, weight, tags, signUp };
}
