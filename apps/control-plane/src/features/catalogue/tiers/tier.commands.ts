import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { LimitPolicy } from '@tollgate/contracts';
import type { Caller } from '../../../platform/access/actor.js';
import type { Change } from '../../../platform/changes/change.js';
import type { Outcome } from '../../../platform/changes/outcome.js';
import {
  type CommandCall,
  type PolicyCommand,
  PolicyCommands,
} from '../../../platform/changes/policy-commands.js';
import { ApisRepository } from '../apis/apis.repository.js';
import { DefaultLimitsService } from '../limits/default-limits.js';
import { toLimitInput } from '../limits/limit.inputs.js';
import type {
  ApiDefaultLimitsSetInput,
  TierCreateInput,
  TierDraftDiscardInput,
  TierDraftSaveInput,
  TierDuplicateInput,
  TierLifecycleInput,
  TierPublishInput,
  TierUpdateInput,
} from './tiers.graphql.js';
import { TiersRepository } from './tiers.repository.js';
import { TiersService } from './tiers.service.js';

/** A change of an existing tier: how it runs, and how a revert undoes it. */
type TierCommand<I extends object> = Pick<PolicyCommand<I>, 'revert'> & {
  run(caller: Caller, input: I): Promise<Outcome<unknown>>;
};

/** Commands of change sets on tiers and default limits. */
@Injectable()
export class TierCommands implements OnModuleInit {
  constructor(
    private readonly commands: PolicyCommands,
    private readonly service: TiersService,
    private readonly defaults: DefaultLimitsService,
    private readonly tiers: TiersRepository,
    private readonly apis: ApisRepository,
  ) {}

  onModuleInit(): void {
    this.registerNewTiers();
    this.registerChanges();
    this.registerDrafts();
    this.registerDefaultLimits();
  }

  private registerNewTiers(): void {
    this.commands.register<TierCreateInput>({
      ...commandNames('tierCreate', 'TierCreateInput'),
      inputOf: async ({ after }) => ({ key: String(after?.key) }),
      run: (caller, _, input) => this.service.create(caller, input),
      revert: ({ key }, _, later) => [removalOf(key, later)],
    });
    this.commands.register<TierDuplicateInput>({
      ...commandNames('tierDuplicate', 'TierDuplicateInput'),
      inputOf: async ({ after }) => ({ newKey: String(after?.key) }),
      run: (caller, _, input) => this.service.duplicate(caller, input),
      revert: ({ newKey }, _, later) => [removalOf(newKey, later)],
    });
    this.commands.register<TierLifecycleInput>({
      ...commandNames('tierDelete', 'TierLifecycleInput'),
      inputOf: async ({ before }) => ({ tierKey: String(before?.key) }),
      run: async (caller, change, input) =>
        this.service.delete(caller, await this.withTierVersion(change, input)),
      // The draft is not restored: no tenant used it.
      revert: (_, [done]) => [{ command: 'tierCreate', input: { ...done?.before } }],
    });
  }

  private registerChanges(): void {
    this.register<TierUpdateInput>('tierUpdate', 'TierUpdateInput', {
      run: (caller, input) => this.service.update(caller, input),
      revert: ({ tierKey }, [done]) => [{ command: 'tierUpdate', input: { tierKey, ...done?.before } }],
    });
    this.register<TierLifecycleInput>('tierArchive', 'TierLifecycleInput', {
      run: (caller, input) => this.service.archive(caller, input),
      revert: ({ tierKey }) => [{ command: 'tierRestore', input: { tierKey } }],
    });
    this.register<TierLifecycleInput>('tierRestore', 'TierLifecycleInput', {
      run: (caller, input) => this.service.restore(caller, input),
      revert: ({ tierKey }) => [{ command: 'tierArchive', input: { tierKey } }],
    });
  }

  private registerDrafts(): void {
    this.register<TierDraftSaveInput>('tierDraftSave', 'TierDraftSaveInput', {
      run: (caller, input) => this.service.saveDraft(caller, input),
      revert: ({ tierKey }, [done], later) => {
        if (done?.before != null) return [draftOf(tierKey, done.before)];
        // A published draft no longer exists as a draft.
        const isPublished = later.some((call) => isPublicationOf(tierKey, call));
        return isPublished ? [] : [{ command: 'tierDraftDiscard', input: { tierKey } }];
      },
    });
    this.register<TierDraftDiscardInput>('tierDraftDiscard', 'TierDraftDiscardInput', {
      run: (caller, input) => this.service.discardDraft(caller, input),
      revert: ({ tierKey }, [done]) => (done?.before == null ? [] : [draftOf(tierKey, done.before)]),
    });
    this.register<TierPublishInput>('tierPublish', 'TierPublishInput', {
      run: (caller, input) => this.service.publish(caller, input),
      // Published versions are immutable: a revert publishes the previous limits. The first version has none.
      revert: ({ tierKey }, entries) => {
        const done = entries.find(({ action }) => action === 'tier.publish');
        if (done?.before == null) return null;
        return [draftOf(tierKey, done.before), { command: 'tierPublish', input: { tierKey } }];
      },
    });
  }

  private registerDefaultLimits(): void {
    this.commands.register<ApiDefaultLimitsSetInput>({
      ...commandNames('apiDefaultLimitsSet', 'ApiDefaultLimitsSetInput'),
      action: 'api.defaultLimitsSet',
      inputOf: async ({ after }) => ({ apiKey: String(after?.apiKey) }),
      run: async (caller, change, input) => {
        // Locks tiers before the API, as the service does.
        await this.tiers.lockPublished(change.tx);
        const api = await this.apis.lockByKey(change.tx, input.apiKey);
        return this.defaults.set(caller, { ...input, expectedVersion: api?.version ?? 0 });
      },
      revert: ({ apiKey }, done) => {
        const set = done.find(({ action }) => action === 'api.defaultLimitsSet');
        const { limits } = (set?.before ?? { limits: [] }) as { limits: LimitPolicy[] };
        const inputs = limits.map(toLimitInput).map(({ apiKey: _, ...limit }) => limit);
        return [{ command: 'apiDefaultLimitsSet', input: { apiKey, limits: inputs } }];
      },
    });
  }

  /** Registers a command whose input and audit entry refer to an existing tier. */
  private register<I extends { tierKey: string; expectedVersion: number }>(
    name: string,
    inputType: string,
    { run, revert }: TierCommand<I>,
  ): void {
    this.commands.register<I>({
      ...commandNames(name, inputType),
      inputOf: async ({ entityId }) => {
        const tier = await this.tiers.findById(entityId);
        return tier === null ? null : ({ tierKey: tier.key } as Partial<I>);
      },
      run: async (caller, change, input) => run(caller, await this.withTierVersion(change, input)),
      revert,
    });
  }

  /** Adds the tier's version in this transaction to the input. */
  private async withTierVersion<I extends { tierKey: string }>(
    change: Change,
    input: I,
  ): Promise<I & { expectedVersion: number }> {
    const tier = await this.tiers.findByKey(input.tierKey, change.tx);
    return { ...input, expectedVersion: tier?.version ?? 0 };
  }
}

/** `tierDraftSave` is audited as `tier.draftSave`. */
function commandNames(name: string, inputType: string) {
  const action = name.replace(/^tier./, (start) => `tier.${start.slice(-1).toLowerCase()}`);
  return { name, action, inputType, permission: 'tiers:write' as const };
}

/** A tier that was published can only be archived. */
function removalOf(tierKey: string, later: readonly CommandCall[]): CommandCall {
  const wasPublished = later.some((call) => isPublicationOf(tierKey, call));
  return { command: wasPublished ? 'tierArchive' : 'tierDelete', input: { tierKey } };
}

function draftOf(tierKey: string, facts: object): CommandCall {
  const { note, limits } = facts as { note: string | null; limits: LimitPolicy[] };
  return { command: 'tierDraftSave', input: { tierKey, note, limits: limits.map(toLimitInput) } };
}

function isPublicationOf(tierKey: string, { command, input }: CommandCall): boolean {
  return command === 'tierPublish' && (input as TierPublishInput).tierKey === tierKey;
}
