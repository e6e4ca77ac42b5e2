import { Injectable } from '@nestjs/common';
import { tierKeySchema } from '@tollgate/contracts';
import type { Caller } from '../../platform/access/actor.js';
import { type Change, ChangeRunner } from '../../platform/changes/change-runner.js';
import {
  conflict,
  notFound,
  type Outcome,
  parseInput,
  type Refusal,
  refuse,
  taken,
  userError,
} from '../../platform/changes/outcome.js';
import { UserErrorCode } from '../../platform/graphql/user-error.graphql.js';
import { TierVersionStatus } from '../../platform/prisma/schema.js';
import { ApisRepository } from '../apis/index.js';
import { type LimitRecord, policyOf } from './limit-record.js';
import { checkDraft, type KnownApi, tierChangeSchema, tierCreateSchema } from './tier.rules.js';
import type {
  TierCreateInput,
  TierDraftDiscardInput,
  TierDraftSaveInput,
  TierPublishInput,
} from './tier-mutations.graphql.js';
import type { LimitInput } from './tiers.graphql.js';
import { type TierRow, TiersRepository } from './tiers.repository.js';

/** What can be done to tiers. */
@Injectable()
export class TiersService {
  constructor(
    private readonly tiers: TiersRepository,
    private readonly apis: ApisRepository,
    private readonly changes: ChangeRunner,
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

  /** Replaces the draft's limits, making a draft when there is none. Refused: INVALID, NOT_FOUND, CONFLICT. */
  async saveDraft(caller: Caller, input: TierDraftSaveInput): Promise<Outcome<TierRow>> {
    return this.changeTier(caller, input, async (change, tier, note) => {
      const checked = checkDraft(input.limits, await this.knownApis(change, input.limits));
      if (!checked.ok) return refuse(checked.errors, tier);
      const existing = await this.tiers.findByStatus(change.tx, tier.id, TierVersionStatus.DRAFT);
      const draft = existing ?? (await this.tiers.createDraft(change.tx, tier.id));
      const before = existing === null ? null : await this.describe(change, existing.id, existing.note);
      await this.tiers.replaceLimits(change.tx, draft.id, checked.limits, note);
      const after = { number: draft.number, note, limits: checked.limits.map((limit) => limit.policy) };
      await change.audit({ action: 'tier.draftSave', entity: 'Tier', entityId: tier.id, before, after });
      return this.tiers.raiseVersion(change.tx, tier.id);
    });
  }

  /** Drops the draft. Refused: NOT_FOUND, CONFLICT. */
  async discardDraft(caller: Caller, input: TierDraftDiscardInput): Promise<Outcome<TierRow>> {
    return this.changeTier(caller, input, async (change, tier) => {
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

  /** Puts the draft in force for everyone who is not pinned. Refused: NOTHING_TO_PUBLISH, NOT_FOUND, CONFLICT. */
  async publish(caller: Caller, input: TierPublishInput): Promise<Outcome<TierRow>> {
    return this.changeTier(caller, input, async (change, tier) => {
      const draft = await this.tiers.findByStatus(change.tx, tier.id, TierVersionStatus.DRAFT);
      const after = draft === null ? null : await this.describe(change, draft.id, draft.note);
      if (draft === null || after === null || after.limits.length === 0) {
        const message = draft === null ? 'This tier has no draft.' : 'The draft has no limits.';
        return refuse([userError(UserErrorCode.NOTHING_TO_PUBLISH, ['tierKey'], message)], tier);
      }
      const current = await this.tiers.findByStatus(change.tx, tier.id, TierVersionStatus.PUBLISHED);
      const before = current === null ? null : await this.describe(change, current.id, current.note);
      await this.tiers.publishDraft(change.tx, draft, caller.actor.label);
      await change.audit({ action: 'tier.publish', entity: 'Tier', entityId: tier.id, before, after });
      await change.publish('CATALOGUE', `tier:${tier.key}`);
      return this.tiers.raiseVersion(change.tx, tier.id);
    });
  }

  /** Runs `work` on the locked tier, if it exists and is as the caller saw it. */
  private async changeTier(
    caller: Caller,
    input: { tierKey: string; expectedVersion: number; note?: string | null; reason?: string | null },
    work: (change: Change, tier: TierRow, note: string | null) => Promise<TierRow | Refusal<TierRow>>,
  ): Promise<Outcome<TierRow>> {
    const parsed = parseInput(tierChangeSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { tierKey, expectedVersion, note, reason } = parsed.data;
    return this.changes.run<TierRow>(caller, { reason }, async (change) => {
      const tier = await this.tiers.lockByKey(change.tx, tierKey);
      if (tier === null) return refuse([notFound(['tierKey'], `tier "${tierKey}"`)]);
      if (tier.version !== expectedVersion) return refuse([conflict('tier')], tier);
      return work(change, tier, note);
    });
  }

  private async knownApis(change: Change, limits: LimitInput[]): Promise<Map<string, KnownApi>> {
    // Only what may be a key reaches the database: it refuses some characters.
    const keys = [...new Set(limits.map((limit) => limit.apiKey))].filter((key) =>
      /^[a-z0-9-]{1,48}$/.test(key),
    );
    const apis = await this.apis.listWithOperations(change.tx, keys);
    return new Map(
      apis.map((api) => [
        api.key,
        { id: api.id, operations: new Set(api.operations.map(({ name }) => name)) },
      ]),
    );
  }

  private async describe(change: Change, versionId: string, note: string | null) {
    const limits: LimitRecord[] = (await this.tiers.listLimits([versionId], change.tx)).get(versionId) ?? [];
    return { note, limits: limits.map(policyOf) };
  }
}
