import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type LimitPolicy } from '@tollgate/contracts';
import { type Change } from '../../../platform/changes/change.js';
import { type CommandCall, PolicyCommands } from '../../../platform/changes/policy-commands.js';
import { type RecordedEntry } from '../../../platform/changes/recorded-entry.js';
import { ApisRepository } from '../apis/apis.repository.js';
import { type ApiDefaultLimitsSetInput } from '../limits/default-limits.graphql.js';
import { DefaultLimitsService } from '../limits/default-limits.service.js';
import { toLimitInput } from '../limits/limit.inputs.js';
import {
  type TierCreateInput,
  type TierDraftDiscardInput,
  type TierDraftSaveInput,
  type TierDuplicateInput,
  type TierLifecycleInput,
  type TierPublishInput,
  type TierUpdateInput,
} from './tier.inputs.js';
import { TiersRepository } from './tiers.repository.js';
import { TierLifecycleService, TiersService } from './tiers.service.js';

/** What change sets may do to tiers. */
@Injectable()
export class TierCommands implements OnModuleInit {
  constructor(
    private readonly commands: PolicyCommands,
    private readonly service: TiersService,
    private readonly tiers: TiersRepository,
  ) {}

  onModuleInit(): void {
    const permission = 'tiers:write' as const;
    const inputOf = async ({ entityId }: RecordedEntry) => {
      const tier = await this.tiers.findById(entityId);
      return tier === null ? null : { tierKey: tier.key };
    };
    this.commands.register<TierUpdateInput>({
      name: 'tierUpdate',
      action: 'tier.update',
      inputOf,
      inputType: 'TierUpdateInput',
      permission,
      run: async (caller, change, input) => this.service.update(caller, await this.current(change, input)),
      revert: ({ tierKey }, [done]) => [{ command: 'tierUpdate', input: { tierKey, ...done?.before } }],
    });
    this.commands.register<TierDraftSaveInput>({
      name: 'tierDraftSave',
      action: 'tier.draftSave',
      inputOf,
      inputType: 'TierDraftSaveInput',
      permission,
      run: async (caller, change, input) => this.service.saveDraft(caller, await this.current(change, input)),
      revert: ({ tierKey }, [done], later) => {
        if (done?.before != null) return [draftOf(tierKey, done.before)];
        // A draft that was published is a draft no more.
        return later.some((call) => isPublicationOf(tierKey, call))
          ? []
          : [{ command: 'tierDraftDiscard', input: { tierKey } }];
      },
    });
    this.commands.register<TierDraftDiscardInput>({
      name: 'tierDraftDiscard',
      action: 'tier.draftDiscard',
      inputOf,
      inputType: 'TierDraftDiscardInput',
      permission,
      run: async (caller, change, input) =>
        this.service.discardDraft(caller, await this.current(change, input)),
      revert: ({ tierKey }, [done]) => (done?.before == null ? [] : [draftOf(tierKey, done.before)]),
    });
    this.commands.register<TierPublishInput>({
      name: 'tierPublish',
      action: 'tier.publish',
      inputOf,
      inputType: 'TierPublishInput',
      permission,
      run: async (caller, change, input) => this.service.publish(caller, await this.current(change, input)),
      // A version that was published stays what it was: the one before is published again. The first has none before.
      revert: ({ tierKey }, entries) => {
        const done = entries.find(({ action }) => action === 'tier.publish');
        if (done?.before == null) return null;
        return [draftOf(tierKey, done.before), { command: 'tierPublish', input: { tierKey } }];
      },
    });
  }

  /** The input with the version that the tier has in this transaction. */
  private async current<I extends { tierKey: string }>(
    change: Change,
    input: I,
  ): Promise<I & { expectedVersion: number }> {
    const tier = await this.tiers.findByKey(input.tierKey, change.tx);
    return { ...input, expectedVersion: tier?.version ?? 0 };
  }
}

function draftOf(tierKey: string, facts: object): CommandCall {
  const { note, limits } = facts as { note: string | null; limits: LimitPolicy[] };
  return { command: 'tierDraftSave', input: { tierKey, note, limits: limits.map(toLimitInput) } };
}

function isPublicationOf(tierKey: string, { command, input }: CommandCall): boolean {
  return command === 'tierPublish' && (input as TierPublishInput).tierKey === tierKey;
}

/** Which versions tiers and APIs have in the transaction of a change. */
@Injectable()
export class TierCommandRows {
  constructor(
    private readonly tiers: TiersRepository,
    private readonly apis: ApisRepository,
  ) {}

  async nameTier({ entityId }: RecordedEntry): Promise<{ tierKey: string } | null> {
    const tier = await this.tiers.findById(entityId);
    return tier === null ? null : { tierKey: tier.key };
  }

  async withTier<I extends { tierKey: string }>(
    change: Change,
    input: I,
  ): Promise<I & { expectedVersion: number }> {
    const tier = await this.tiers.findByKey(input.tierKey, change.tx);
    return { ...input, expectedVersion: tier?.version ?? 0 };
  }

  /** Tiers are locked before APIs, as a change of defaults does itself. */
  async withApi<I extends { apiKey: string }>(
    change: Change,
    input: I,
  ): Promise<I & { expectedVersion: number }> {
    await this.tiers.lockPublished(change.tx);
    const api = await this.apis.lockByKey(change.tx, input.apiKey);
    return { ...input, expectedVersion: api?.version ?? 0 };
  }
}

const PERMISSION = 'tiers:write';

/** By which change sets let tiers come and go, and set what all of them have. */
@Injectable()
export class TierLifecycleCommands implements OnModuleInit {
  constructor(
    private readonly commands: PolicyCommands,
    private readonly service: TiersService,
    private readonly lifecycle: TierLifecycleService,
    private readonly defaults: DefaultLimitsService,
    private readonly rows: TierCommandRows,
  ) {}

  onModuleInit(): void {
    this.registerComing();
    this.registerGoing();
    this.registerDefaults();
  }

  private registerComing(): void {
    this.commands.register<TierCreateInput>({
      name: 'tierCreate',
      action: 'tier.create',
      inputOf: async ({ after }) => ({ key: String(after?.key) }),
      inputType: 'TierCreateInput',
      permission: PERMISSION,
      run: (caller, _, input) => this.service.create(caller, input),
      revert: ({ key }, _, later) => [removalOf(key, later)],
    });
    this.commands.register<TierDuplicateInput>({
      name: 'tierDuplicate',
      action: 'tier.duplicate',
      inputOf: async ({ after }) => ({ newKey: String(after?.key) }),
      inputType: 'TierDuplicateInput',
      permission: PERMISSION,
      run: (caller, _, input) => this.lifecycle.duplicate(caller, input),
      revert: ({ newKey }, _, later) => [removalOf(newKey, later)],
    });
  }

  private registerGoing(): void {
    this.commands.register<TierLifecycleInput>({
      name: 'tierArchive',
      action: 'tier.archive',
      inputOf: (entry) => this.rows.nameTier(entry),
      inputType: 'TierLifecycleInput',
      permission: PERMISSION,
      run: async (caller, change, input) =>
        this.lifecycle.archive(caller, await this.rows.withTier(change, input)),
      revert: ({ tierKey }) => [{ command: 'tierRestore', input: { tierKey } }],
    });
    this.commands.register<TierLifecycleInput>({
      name: 'tierRestore',
      action: 'tier.restore',
      inputOf: (entry) => this.rows.nameTier(entry),
      inputType: 'TierLifecycleInput',
      permission: PERMISSION,
      run: async (caller, change, input) =>
        this.lifecycle.restore(caller, await this.rows.withTier(change, input)),
      revert: ({ tierKey }) => [{ command: 'tierArchive', input: { tierKey } }],
    });
    this.commands.register<TierLifecycleInput>({
      name: 'tierDelete',
      action: 'tier.delete',
      inputOf: async ({ before }) => ({ tierKey: String(before?.key) }),
      inputType: 'TierLifecycleInput',
      permission: PERMISSION,
      run: async (caller, change, input) =>
        this.lifecycle.delete(caller, await this.rows.withTier(change, input)),
      // Its draft is not brought back: it was in force for nobody.
      revert: (_, [done]) => [{ command: 'tierCreate', input: { ...done?.before } }],
    });
  }

  private registerDefaults(): void {
    this.commands.register<ApiDefaultLimitsSetInput>({
      name: 'apiDefaultLimitsSet',
      action: 'api.defaultLimitsSet',
      inputOf: async ({ after }) => ({ apiKey: String(after?.apiKey) }),
      inputType: 'ApiDefaultLimitsSetInput',
      permission: PERMISSION,
      run: async (caller, change, input) => this.defaults.set(caller, await this.rows.withApi(change, input)),
      revert: ({ apiKey }, done) => {
        const set = done.find(({ action }) => action === 'api.defaultLimitsSet');
        const { limits } = (set?.before ?? { limits: [] }) as { limits: LimitPolicy[] };
        const inputs = limits.map(toLimitInput).map(({ apiKey: _, ...limit }) => limit);
        return [{ command: 'apiDefaultLimitsSet', input: { apiKey, limits: inputs } }];
      },
    });
  }
}

/** One that was published is archived: what tenants are or were on is kept. */
function removalOf(tierKey: string, later: readonly { command: string; input: object }[]) {
  const wasPublished = later.some(
    ({ command, input }) => command === 'tierPublish' && (input as TierLifecycleInput).tierKey === tierKey,
  );
  return { command: wasPublished ? 'tierArchive' : 'tierDelete', input: { tierKey } };
}
