import { Injectable } from '@nestjs/common';
import { apiKeySchema, coversApi, reachOf, tierKeySchema } from '@tollgate/contracts';
import type { AuditAction } from '@tollgate/contracts/audit-actions';
import type { Caller } from '../../../platform/access/actor.js';
import type { AuditFacts } from '../../../platform/changes/audit-trail.js';
import { type Change, ChangeRunner, findManaged } from '../../../platform/changes/change.js';
import {
  conflict,
  notFound,
  type Outcome,
  parseInput,
  type Refusal,
  refuse,
  taken,
  userError,
  withChanges,
} from '../../../platform/changes/outcome.js';
import { Clock } from '../../../platform/clock.js';
import { type UserError, UserErrorCode } from '../../../platform/graphql/mutation.graphql.js';
import { LimitOrigin } from '../../../platform/prisma/schema.js';
import { DefaultLimitsRepository } from '../limits/default-limits.repository.js';
import { type CheckedLimit, checkDraft, checkPublication, missingDefaults } from '../limits/limit.rules.js';
import { PublicationGuardsRepository } from './publication-guards.repository.js';
import { TierPublisher, toChecked } from './tier-publisher.js';
import {
  type TierCreateInput,
  type TierDraftDiscardInput,
  type TierDraftSaveInput,
  type TierDuplicateInput,
  type TierLifecycleInput,
  type TierPublishInput,
  type TierUpdateInput,
  tierChangeSchema,
  tierCreateSchema,
  tierDraftSaveSchema,
  tierDuplicateSchema,
  tierPublishSchema,
  tierUpdateSchema,
} from './tiers.graphql.js';
import {
  type TierRow,
  TiersRepository,
  type TierVersionRow,
  type VersionWithLimits,
} from './tiers.repository.js';

/** Pinning the tenants of a publication takes 5 s for 100,000 tenants on an idle machine. */
export const TIER_CHANGE_TIMEOUT_MS = 60_000;

/** The result of a publication, from which its warnings are computed. */
export interface Publication {
  number: number;
  limits: CheckedLimit[];
  /** Keys of the APIs that the version published before has limits on. */
  limitedBefore: string[];
}

export type PublishedTierRow = TierRow & { publication?: Publication };

/** Tiers and their drafts. */
@Injectable()
export class TiersService {
  constructor(
    private readonly tiers: TiersRepository,
    private readonly defaults: DefaultLimitsRepository,
    private readonly publisher: TierPublisher,
    private readonly guards: PublicationGuardsRepository,
    private readonly changes: ChangeRunner,
    private readonly clock: Clock,
  ) {}

  async findByKey(key: string): Promise<TierRow | null> {
    return tierKeySchema.safeParse(key).success ? this.tiers.findByKey(key) : null;
  }

  /** Creates a tier without versions. Errors: INVALID, TAKEN. */
  async create(caller: Caller, input: TierCreateInput): Promise<Outcome<TierRow>> {
    const parsed = parseInput(tierCreateSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { reason, ...data } = parsed.data;
    return this.changes.run(caller, { reason, onTaken: taken(['key'], 'This key') }, async (change) => {
      const tier = await this.tiers.create(change.tx, data);
      await this.audit(change, 'tier.create', tier, null, data);
      return tier;
    });
  }

  /** Changes the fields of a tier. Errors: INVALID, NOT_FOUND, CONFLICT, MANAGED_BY_CONFIG. */
  async update(caller: Caller, input: TierUpdateInput): Promise<Outcome<TierRow>> {
    const parsed = parseInput(tierUpdateSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    return this.changeTier(caller, parsed.data, async (change, tier) => {
      const before = factsOf(tier);
      const after = withChanges(before, parsed.data);
      if (after.signUp && !before.signUp) {
        const problem = await this.checkSignUp(change, tier);
        if (problem !== undefined) return refuse([problem], tier);
        await this.tiers.clearSignUp(change.tx);
      }
      await this.tiers.update(change.tx, tier.id, after);
      await this.audit(change, 'tier.update', tier, before, after);
      change.publish('CATALOGUE', `tier:${tier.key}`);
      return this.tiers.raiseVersion(change.tx, tier.id);
    });
  }

  /**
   * Archives a tier: it accepts no new tenants, and its tenants keep it. Errors: NOT_FOUND, CONFLICT, MANAGED_BY_CONFIG;
   * INVALID if it is archived already; IN_USE while it is the sign-up tier.
   */
  archive(caller: Caller, input: TierLifecycleInput): Promise<Outcome<TierRow>> {
    return this.setArchived(caller, input, true);
  }

  /** Restores an archived tier. Errors: NOT_FOUND, CONFLICT, MANAGED_BY_CONFIG; INVALID if it is not archived. */
  restore(caller: Caller, input: TierLifecycleInput): Promise<Outcome<TierRow>> {
    return this.setArchived(caller, input, false);
  }

  /**
   * Deletes a tier that was never published, with its draft. Errors: NOT_FOUND, CONFLICT, MANAGED_BY_CONFIG; IN_USE for a
   * tier that was published.
   */
  async delete(caller: Caller, input: TierLifecycleInput): Promise<Outcome<TierRow | null>> {
    const parsed = parseInput(tierChangeSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    return this.changeTier<TierRow | null>(caller, parsed.data, async (change, tier) => {
      if (await this.tiers.wasPublished(change.tx, tier.id)) {
        const message = 'Tiers that were published cannot be deleted. Archive the tier instead.';
        return refuse([userError(UserErrorCode.IN_USE, ['tierKey'], message)], tier);
      }
      await this.tiers.delete(change.tx, tier.id);
      const { key, name, description, rank, weight, tags } = tier;
      const before = { key, name, description, rank, weight, tags };
      await this.audit(change, 'tier.delete', tier, before, null);
      return null;
    });
  }

  /**
   * Creates a tier whose draft holds the limits of the draft of another one, or of its published version if it has no draft.
   * Default limits are left out; publishing adds them. Errors: INVALID, NOT_FOUND, TAKEN.
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
      const { draft, published } = await this.tiers.findCurrent(tx, source.id);
      const limits = ownLimits(draft ?? published);
      const { description, rank, weight, tags } = source;
      const data = { key: newKey, name, description, rank, weight, tags };
      const tier = await this.tiers.create(tx, data);
      if (limits.length > 0) {
        const copy = await this.tiers.createDraft(tx, tier.id);
        await this.tiers.replaceLimits(tx, copy.id, limits.map(toChecked), null);
      }
      const after = { ...data, copyOf: tierKey, limits: limits.map(({ policy }) => policy) };
      await this.audit(change, 'tier.duplicate', tier, null, after);
      return tier;
    });
  }

  /** Replaces the limits of the draft; creates a draft if there is none. Errors: INVALID, NOT_FOUND, CONFLICT. */
  async saveDraft(caller: Caller, input: TierDraftSaveInput): Promise<Outcome<TierRow>> {
    const parsed = parseInput(tierDraftSaveSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { limits, note } = parsed.data;
    return this.changeTier(caller, parsed.data, async (change, tier) => {
      const checked = checkDraft(limits, await this.publisher.knownApis(change, apiKeysOf(limits)));
      if (!checked.ok) return refuse(checked.errors, tier);
      const { draft } = await this.tiers.findCurrent(change.tx, tier.id);
      await this.writeDraft(change, tier, draft, checked.limits, note);
      return this.tiers.raiseVersion(change.tx, tier.id);
    });
  }

  /** Deletes the draft. Errors: NOT_FOUND, CONFLICT. */
  async discardDraft(caller: Caller, input: TierDraftDiscardInput): Promise<Outcome<TierRow>> {
    const parsed = parseInput(tierChangeSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    return this.changeTier(caller, parsed.data, async (change, tier) => {
      const { draft } = await this.tiers.findCurrent(change.tx, tier.id);
      if (draft === null) return refuse([notFound(['tierKey'], 'draft of this tier')], tier);
      await this.tiers.deleteDraft(change.tx, draft.id);
      await this.audit(change, 'tier.draftDiscard', tier, describe(draft), null, draft.number);
      return this.tiers.raiseVersion(change.tx, tier.id);
    });
  }

  /**
   * Publishes the draft, or the given limits, with the default limits that the version does not replace by name. Errors:
   * NOTHING_TO_PUBLISH, NOT_FOUND, CONFLICT; INVALID for limits that cannot be published, such as one that is never reached.
   */
  async publish(caller: Caller, input: TierPublishInput): Promise<Outcome<PublishedTierRow>> {
    const parsed = parseInput(tierPublishSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { limits: given, note, carryOver, audience, cohort, guard } = parsed.data;
    return this.changeTier<PublishedTierRow>(caller, parsed.data, async (change, tier) => {
      const { draft, published } = await this.tiers.findCurrent(change.tx, tier.id);
      if (given == null && draft === null) return refuse([nothingToPublish('This tier has no draft.')], tier);
      if (guard !== null && published === null) return refuse([nothingToReturnTo()], tier);
      const defaults = [...(await this.defaults.list('all', change.tx)).values()].flat();
      const keys = [...apiKeysOf(given ?? draft?.limits ?? []), ...apiKeysOf(defaults)];
      const apis = await this.publisher.knownApis(change, keys);
      const checked = given == null ? undefined : checkDraft(given, apis);
      if (checked?.ok === false) return refuse(checked.errors, tier);
      const own = checked?.limits ?? draft?.limits.map(toChecked) ?? [];
      const limits = [...own, ...missingDefaults(own, defaults)];
      if (limits.length === 0) return refuse([nothingToPublish('The draft has no limits.')], tier);
      const problems = [
        ...checkPublication(limits, apis),
        ...(await this.publisher.findStorageChanges(change, limits)),
      ];
      if (problems.length > 0) return refuse(problems, tier);

      const version =
        draft !== null && checked === undefined
          ? draft
          : await this.writeDraft(change, tier, draft, own, note);
      const terms = { publishedBy: caller.actor.label, carryOver, audience, cohort };
      await this.publisher.publish(change, tier, { draft: version, current: published }, limits, terms);
      if (guard !== null) {
        const publication = {
          tierId: tier.id,
          versionNumber: version.number,
          changeId: change.id,
          apis: changedApis(published?.limits ?? [], limits),
          publishedAt: this.clock.now(),
        };
        await this.guards.create(change.tx, publication, guard);
      }
      const content = { note: version.note, limits: own.map(({ policy }) => policy) };
      const optional = { ...(cohort === null ? {} : { cohort }), ...(guard === null ? {} : { guard }) };
      const after = { ...content, carryOver, audience, ...optional };
      await this.audit(change, 'tier.publish', tier, describe(published), after, version.number);
      const limitedBefore = [...new Set(published?.limits.map(({ apiKey }) => apiKey))];
      const row = await this.tiers.raiseVersion(change.tx, tier.id);
      return { ...row, publication: { number: version.number, limits, limitedBefore } };
    });
  }

  /** Runs `work` on the locked tier if it exists, has the expected version and may be changed by the caller. */
  private changeTier<T extends TierRow | null = TierRow>(
    caller: Caller,
    { tierKey, expectedVersion, reason }: { tierKey: string; expectedVersion: number; reason: string | null },
    work: (change: Change, tier: TierRow) => Promise<T | Refusal<T | TierRow>>,
  ): Promise<Outcome<T | TierRow>> {
    const options = { reason, timeout: TIER_CHANGE_TIMEOUT_MS };
    return this.changes.run<T | TierRow>(caller, options, async (change) => {
      const tier = await this.tiers.lockByKey(change.tx, tierKey);
      if (tier === null) return refuse([notFound(['tierKey'], `tier "${tierKey}"`)]);
      if (tier.version !== expectedVersion) return refuse<T | TierRow>([conflict('tier')], tier);
      const managed = findManaged(caller, tier, 'tier', reason);
      if (managed !== undefined) return refuse<T | TierRow>([managed], tier);
      return work(change, tier);
    });
  }

  private async setArchived(
    caller: Caller,
    input: TierLifecycleInput,
    archived: boolean,
  ): Promise<Outcome<TierRow>> {
    const parsed = parseInput(tierChangeSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    return this.changeTier(caller, parsed.data, async (change, tier) => {
      const refuseTier = (code: UserErrorCode, message: string) =>
        refuse([userError(code, ['tierKey'], message)], tier);
      if ((tier.archivedAt !== null) === archived)
        return refuseTier(
          UserErrorCode.INVALID,
          archived ? 'The tier is already archived.' : 'The tier is not archived.',
        );
      if (archived && tier.signUp)
        return refuseTier(
          UserErrorCode.IN_USE,
          'New sign-ups start on this tier. Choose another sign-up tier first.',
        );
      const action = archived ? 'tier.archive' : 'tier.restore';
      await this.audit(change, action, tier, { archived: !archived }, { archived });
      return this.tiers.setArchived(change.tx, tier.id, archived ? this.clock.now() : null);
    });
  }

  /** Replaces the limits of the draft, or creates a draft of them. */
  private async writeDraft(
    change: Change,
    tier: TierRow,
    existing: VersionWithLimits | null,
    limits: readonly CheckedLimit[],
    note: string | null,
  ): Promise<TierVersionRow> {
    const draft = existing ?? (await this.tiers.createDraft(change.tx, tier.id));
    await this.tiers.replaceLimits(change.tx, draft.id, limits, note);
    const after = { number: draft.number, note, limits: limits.map(({ policy }) => policy) };
    await this.audit(change, 'tier.draftSave', tier, describe(existing), after, draft.number);
    return { ...draft, note };
  }

  private async checkSignUp(change: Change, tier: TierRow): Promise<UserError | undefined> {
    const { published } = await this.tiers.findCurrent(change.tx, tier.id);
    const invalid = (message: string) => userError(UserErrorCode.INVALID, ['signUp'], message);
    if (published === null) return invalid('Tenants cannot sign up to a tier without a published version.');
    return tier.archivedAt === null ? undefined : invalid('Tenants cannot sign up to an archived tier.');
  }

  private audit(
    change: Change,
    action: AuditAction,
    tier: TierRow,
    before: AuditFacts['before'],
    after: AuditFacts['after'],
    number?: number,
  ): Promise<void> {
    const version = number === undefined ? '' : ` v${number}`;
    const subject = { entityId: tier.id, entityName: `${tier.name}${version}`, entityKey: tier.key };
    return change.audit({ action, ...subject, before, after });
  }
}

/** The note of a version and its own limits, for the audit trail: default limits have their own entries. */
function describe(version: VersionWithLimits | null) {
  return version === null
    ? null
    : { note: version.note, limits: ownLimits(version).map(({ policy }) => policy) };
}

function ownLimits(version: VersionWithLimits | null) {
  return version?.limits.filter(({ origin }) => origin === LimitOrigin.TIER) ?? [];
}

/** Keys that may exist: Postgres rejects some characters. */
function apiKeysOf(limits: readonly { apiKey: string; alsoApis?: readonly string[] | null }[]): string[] {
  return limits
    .flatMap(({ apiKey, alsoApis }) => [apiKey, ...(alsoApis ?? [])])
    .filter((key) => apiKeySchema.safeParse(key).success);
}

function nothingToReturnTo(): UserError {
  const message =
    'A guard needs a published version to return to. Publish the first version of the tier without a guard.';
  return userError(UserErrorCode.INVALID, ['guard'], message);
}

type WithPolicy = Pick<CheckedLimit, 'policy'>;

/** Keys of the APIs whose limits differ; of all limited APIs if none does. */
function changedApis(before: readonly WithPolicy[], after: readonly WithPolicy[]): string[] {
  const textOf = (limits: readonly WithPolicy[], api: string) =>
    JSON.stringify(limits.flatMap(({ policy }) => (coversApi(policy, api) ? [policy] : [])));
  const all = [...new Set([...before, ...after].flatMap(({ policy }) => reachOf(policy)))];
  const changed = all.filter((api) => textOf(before, api) !== textOf(after, api));
  return changed.length > 0 ? changed : all;
}

function nothingToPublish(message: string): UserError {
  return userError(UserErrorCode.NOTHING_TO_PUBLISH, ['tierKey'], message);
}

function factsOf({ name, description, rank, weight, tags, signUp }: TierRow) {
  return { name, description, rank, weight, tags, signUp };
}
