import { Injectable } from '@nestjs/common';
import { Args, Mutation, Query, Resolver } from '@nestjs/graphql';
import type { Caller } from '../../../platform/access/actor.js';
import { CurrentCaller, RequirePermission } from '../../../platform/access/require-permission.decorator.js';
import { badInput } from '../../../platform/api-error.js';
import { ChangeRunner } from '../../../platform/changes/change.js';
import { type Outcome, parseInput, refuse } from '../../../platform/changes/outcome.js';
import { Clock } from '../../../platform/clock.js';
import { Input } from '../../../platform/graphql/mutation.graphql.js';
import { movedTo, RevisionsRepository } from '../../distribution/index.js';
import { ApiConfig, OfferConfig, TierConfig } from './catalogue-config.js';
import {
  ConfigApplyInput,
  ConfigApplyPayload,
  type ConfigChange,
  type ConfigMode,
  configApplySchema,
} from './config.graphql.js';
import { ConfigRefused, ConfigRun } from './config-run.js';
import {
  ConfigStateRepository,
  type PresentState,
  type Stored,
  type StoredPart,
  stateOf,
} from './config-state.repository.js';
import {
  type ConfigState,
  readDocument,
  type Target,
  type TenantState,
  targetOf,
  writeDocument,
} from './config-state.rules.js';
import { SubjectRuleConfig } from './subject-rule-config.js';
import { TenantConfig } from './tenant-config.js';

/** Applies a configuration in dependency order; deletions run in the reverse order. */
@Injectable()
export class ConfigSteps {
  constructor(
    private readonly apis: ApiConfig,
    private readonly tiers: TierConfig,
    private readonly offers: OfferConfig,
    private readonly tenants: TenantConfig,
    private readonly subjectRules: SubjectRuleConfig,
  ) {}

  /** @throws ConfigRefused */
  async applyAll(run: ConfigRun, mode: ConfigMode, selectTag: string | null): Promise<void> {
    const { wanted } = run;
    for (const [key, api] of wanted.apis) await this.apis.apply(run, key, api);
    for (const [key, tier] of wanted.tiers) await this.tiers.apply(run, key, tier);
    for (const [key, offer] of wanted.offers) await this.offers.apply(run, key, offer);
    for (const [key, tenant] of parentsFirst(wanted.tenants)) await this.tenants.apply(run, key, tenant);
    await this.subjectRules.apply(run, PLATFORM_RULES, wanted.subjectRules);
    if (mode === 'SYNC') await this.deleteUnnamed(run, selectTag);
  }

  private async deleteUnnamed(run: ConfigRun, selectTag: string | null): Promise<void> {
    const { wanted, present } = run;
    const gone = (stored: ReadonlyMap<string, Stored<unknown>>, named: ReadonlyMap<string, unknown>) =>
      [...stored].flatMap(([key, { managedBy, tags }]) => {
        const isMine = managedBy === 'CONFIG' && (selectTag === null || tags.includes(selectTag));
        return isMine && !named.has(key) ? [key] : [];
      });
    for (const [key, tenant] of wanted.tenants) {
      if (selectTag === null || tenant.facts.tags.includes(selectTag))
        await this.tenants.prune(run, key, tenant);
    }
    // They have no tags.
    if (selectTag === null) await this.subjectRules.prune(run, PLATFORM_RULES, wanted.subjectRules);
    for (const key of gone(present.offers, wanted.offers)) await this.offers.remove(run, key);
    for (const key of gone(present.tiers, wanted.tiers)) await this.tiers.remove(run, key);
    for (const [key, api] of wanted.apis) await this.apis.prune(run, key, api);
    for (const key of gone(present.apis, wanted.apis)) await this.apis.delete(run, key);
  }
}

const PLATFORM_RULES = { tenantKey: null, path: ['subjectRules'] };

function parentsFirst(tenants: ConfigState['tenants']): [key: string, tenant: TenantState][] {
  return [...tenants].sort(
    ([, a], [, b]) => Number(a.facts.parent !== null) - Number(b.facts.parent !== null),
  );
}

/** Most tenants in an exported configuration. */
const MAX_TENANTS = 5000;

/** A whole configuration in one transaction takes a while. */
const APPLY_TIMEOUT_MS = 60_000;

/** Exports and applies configurations. */
@Injectable()
export class ConfigService {
  constructor(
    private readonly states: ConfigStateRepository,
    private readonly steps: ConfigSteps,
    private readonly revisions: RevisionsRepository,
    private readonly changes: ChangeRunner,
    private readonly clock: Clock,
  ) {}

  /** Exports the document as JSON text. @throws ApiError BAD_USER_INPUT for too many tenants */
  async read(withTenants: boolean): Promise<string> {
    if (withTenants && (await this.states.countTenants()) > MAX_TENANTS)
      throw badInput(`There are more than ${MAX_TENANTS} tenants. Leave them out.`);
    const present = await this.states.read(withTenants ? 'all' : []);
    return JSON.stringify(writeDocument(stateOf(present), this.clock.now()));
  }

  /**
   * Applies a configuration in one change, or not at all. Errors carry paths in the document; CONFLICT if the policy has
   * changed since the expected revision.
   * @param options `onlyMissing`: creates objects that do not exist and leaves them managed in the console
   */
  async apply(
    caller: Caller,
    input: ConfigApplyInput,
    { onlyMissing = false }: { onlyMissing?: boolean } = {},
  ): Promise<Outcome<ConfigChange[]>> {
    const parsed = parseInput(configApplySchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { document, mode, selectTag = null, expectedRevision, guard, reason } = parsed.data;
    const read = readDocument(document);
    if (!read.ok) return refuse(read.errors);
    const { state } = read;
    const options = { reason, timeout: APPLY_TIMEOUT_MS };
    return this.changes.run<ConfigChange[]>(caller, options, async (change) => {
      await this.states.lock(change.tx);
      const current = await this.revisions.findCurrent(change.tx, [...state.tenants.keys()]);
      if (expectedRevision != null && expectedRevision !== current) return refuse([movedTo(current)]);
      const present = await this.states.read([...state.tenants.keys()], change.tx);
      const run = new ConfigRun(change, onlyMissing ? missingOf(state, present) : state, present, guard);
      try {
        await this.steps.applyAll(run, mode, selectTag);
        if (!onlyMissing) await this.markManaged(run);
      } catch (error) {
        if (error instanceof ConfigRefused) return refuse(error.errors);
        throw error;
      }
      return run.changes;
    });
  }

  /** Marks the named objects as managed by the configuration, read-only in the console. */
  private async markManaged({ change, wanted }: ConfigRun): Promise<void> {
    const { tx } = change;
    const stored = await this.states.read([...wanted.tenants.keys()], tx);
    for (const [kind, objects] of KINDS) {
      const ids = [...stored[objects]].flatMap(([key, { id }]) => (wanted[objects].has(key) ? [id] : []));
      await this.states.setManaged(tx, kind, ids);
    }
    const overrides: string[] = [];
    const alerts: string[] = [];
    const subjectRules = idsOfParts(stored.subjectRules.live, wanted.subjectRules);
    for (const [key, tenant] of wanted.tenants) {
      const present = stored.tenants.get(key);
      overrides.push(...idsOfParts(present?.overrides, tenant.overrides));
      alerts.push(...idsOfParts(present?.alerts, tenant.alerts));
      subjectRules.push(...idsOfParts(present?.subjectRules, tenant.subjectRules));
    }
    await this.states.setManaged(tx, 'override', overrides);
    await this.states.setManaged(tx, 'alertThreshold', alerts);
    await this.states.setManaged(tx, 'subjectRule', subjectRules);
  }
}

/** The objects of `wanted` that do not exist. */
function missingOf(wanted: ConfigState, present: PresentState): ConfigState {
  const missing = <T>(objects: Map<string, T>, existing: ReadonlyMap<string, unknown>) =>
    new Map([...objects].filter(([key]) => !existing.has(key)));
  return {
    apis: missing(wanted.apis, present.apis),
    tiers: missing(wanted.tiers, present.tiers),
    offers: missing(wanted.offers, present.offers),
    tenants: missing(wanted.tenants, present.tenants),
    subjectRules: wanted.subjectRules.filter(
      (rule) => !present.subjectRules.states.some((one) => targetOf(one) === targetOf(rule)),
    ),
  };
}

const KINDS = [
  ['api', 'apis'],
  ['tier', 'tiers'],
  ['offer', 'offers'],
  ['tenant', 'tenants'],
] as const;

/** Ids of parts with the same target as a named one. */
function idsOfParts<S extends Target>(stored: readonly StoredPart<S>[] = [], named: readonly S[]): string[] {
  const targets = new Set(named.map(targetOf));
  return stored.flatMap(({ id, state }) => (targets.has(targetOf(state)) ? [id] : []));
}

@Resolver()
export class ConfigResolver {
  constructor(private readonly service: ConfigService) {}

  @RequirePermission('config:read')
  @Query(() => String, {
    name: 'configDocument',
    description:
      'APIs, tiers, offers, rules for subjects of all tenants, and tenants with their overrides, thresholds and subject rules as one configuration: JSON text that `configApply` takes.',
  })
  read(
    @Args('tenants', { type: () => Boolean, defaultValue: true, description: 'Whether to include tenants.' })
    tenants: boolean,
  ): Promise<string> {
    return this.service.read(tenants);
  }

  @RequirePermission('config:write')
  @Mutation(() => ConfigApplyPayload, {
    name: 'configApply',
    description:
      'Applies a configuration in one change; the objects it names are managed by it from then on. A dry run returns the difference.',
  })
  async apply(@Input() input: ConfigApplyInput, @CurrentCaller() caller: Caller) {
    const outcome = await this.service.apply(caller, input);
    return outcome.ok
      ? { changes: outcome.value, changeId: outcome.changeId, userErrors: [] }
      : { changes: [], changeId: null, userErrors: outcome.errors };
  }
}
