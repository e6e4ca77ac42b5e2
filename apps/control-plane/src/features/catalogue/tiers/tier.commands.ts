import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { LimitPolicy } from '@tollgate/contracts';
import type { Change } from '../../../platform/changes/change.js';
import { type CommandCall, PolicyCommands } from '../../../platform/changes/policy-commands.js';
import type { RecordedEntry } from '../../../platform/changes/recorded-entry.js';
import { toLimitInput } from './policy-limit.input.js';
import type {
  TierDraftDiscardInput,
  TierDraftSaveInput,
  TierPublishInput,
  TierUpdateInput,
} from './tier-mutations.graphql.js';
import { TiersRepository } from './tiers.repository.js';
import { TiersService } from './tiers.service.js';

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
