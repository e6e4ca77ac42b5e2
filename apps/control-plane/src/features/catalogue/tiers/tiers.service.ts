import { Injectable } from '@nestjs/common';
import { apiKeySchema, tierKeySchema } from '@tollgate/contracts';
import { type Caller } from '../../../platform/access/actor.js';
import { type Change } from '../../../platform/changes/change.js';
import { ChangeRunner } from '../../../platform/changes/change-runner.js';
import { findManaged } from '../../../platform/changes/managed.js';
import {
  conflict,
  notFound,
  type Outcome,
  parseInput,
  type Refusal,
  refuse,
  taken,
  userError,
} from '../../../platform/changes/outcome.js';
import { Clock } from '../../../platform/clock/clock.js';
import { type UserError, UserErrorCode } from '../../../platform/graphql/user-error.graphql.js';
import { LimitOrigin, TierVersionStatus } from '../../../platform/prisma/schema.js';
import { type LimitInput } from '../limits/limit.inputs.js';
import { checkDraft } from '../limits/limit.rules.js';
import { policyOf } from '../limits/limit-record.js';
import {
  type TierCreateInput,
  type TierDraftDiscardInput,
  type TierDraftSaveInput,
  type TierDuplicateInput,
  type TierLifecycleInput,
  type TierPublishInput,
  type TierUpdateInput,
  tierCreateSchema,
  tierDraftSchema,
  tierDuplicateSchema,
  tierPublishSchema,
  tierSchema,
  tierUpdateSchema,
} from './tier.inputs.js';
import { TierPublisher, toChecked } from './tier-publisher.js';
import { type TierRow, TiersRepository } from './tiers.repository.js';

/** A publication may pin a hundred thousand tenants: five seconds where nothing else runs. */
export const TIER_CHANGE_TIMEOUT_MS = 60_000;

/** Which tier a change is to, and how its caller has seen it. */
export interface TierTarget {
  tierKey: string;
  expectedVersion: number;
  reason: string | null;
}

/** Runs changes of one tier. */
@Injectable()
export class TierChanges {
  constructor(
    private readonly tiers: TiersRepository,
    private readonly changes: ChangeRunner,
  ) {}

  /** Runs `work` on the locked tier, if it exists, is as the caller saw it and is the caller's to change. */
  run<T extends TierRow | null = TierRow>(
    caller: Caller,
    { tierKey, expectedVersion, reason }: TierTarget,
    work: (change: Change, tier: TierRow) => Promise<T | Refusal<T | TierRow>>,
  ): Promise<Outcome<T | TierRow>> {
    return this.changes.run<T | TierRow>(
      caller,
      { reason, timeout: TIER_CHANGE_TIMEOUT_MS },
      async (change) => {
        const tier = await this.tiers.lockByKey(change.tx, tierKey);
        if (tier === null) return refuse([notFound(['tierKey'], `tier "${tierKey}"`)]);
        if (tier.version !== expectedVersion) return refuse<T | TierRow>([conflict('tier')], tier);
        const managed = findManaged(caller, tier, 'tier', reason);
        if (managed !== undefined) return refuse<T | TierRow>([managed], tier);
        return work(change, tier);
      },
    );
  }
}

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
