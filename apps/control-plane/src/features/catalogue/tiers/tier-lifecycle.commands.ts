import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { LimitPolicy } from '@tollgate/contracts';
import type { Change } from '../../../platform/changes/change.js';
import { PolicyCommands } from '../../../platform/changes/policy-commands.js';
import type { RecordedEntry } from '../../../platform/changes/recorded-entry.js';
import { ApisRepository } from '../apis/apis.repository.js';
import type { ApiDefaultLimitsSetInput } from './default-limits.graphql.js';
import { DefaultLimitsService } from './default-limits.service.js';
import { toLimitInput } from './policy-limit.input.js';
import { TierLifecycleService } from './tier-lifecycle.service.js';
import type { TierCreateInput, TierDuplicateInput, TierLifecycleInput } from './tier-mutations.graphql.js';
import { TiersRepository } from './tiers.repository.js';
import { TiersService } from './tiers.service.js';

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
