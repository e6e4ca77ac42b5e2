import { Injectable } from '@nestjs/common';
import { Args, Mutation, Query, Resolver } from '@nestjs/graphql';
import { MAX_CONFIG_TENANTS } from '@tollgate/contracts';
import type { AuditAction } from '@tollgate/contracts/audit-actions';
import type { Caller } from '../../../platform/access/actor.js';
import { CurrentCaller, RequirePermission } from '../../../platform/access/require-permission.decorator.js';
import { badInput } from '../../../platform/api-error.js';
import type { AuditFacts } from '../../../platform/changes/audit-trail.js';
import { ChangeRunner } from '../../../platform/changes/change.js';
import { type Outcome, parseInput, refuse } from '../../../platform/changes/outcome.js';
import { Clock } from '../../../platform/clock.js';
import { Input } from '../../../platform/graphql/mutation.graphql.js';
import { ManagedBy } from '../../../platform/prisma/schema.js';
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
  type ManagedKind,
  type PresentState,
  type Stored,
  type StoredPart,
  stateOf,
} from './config-state.repository.js';
import {
  type ConfigState,
  readDocument,
  type SubjectRuleState,
  type Target,
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
    await this.tenants.apply(run, wanted.tenants);
    await this.subjectRules.apply(run, this.subjectRules.plan(run, PLATFORM_RULES, wanted.subjectRules));
    if (mode === 'SYNC') await this.deleteUnnamed(run, selectTag);
  }

  private async deleteUnnamed(run: ConfigRun, selectTag: string | null): Promise<void> {
    const { wanted, present } = run;
    const gone = (stored: ReadonlyMap<string, Stored<unknown>>, named: ReadonlyMap<string, unknown>) =>
      [...stored].flatMap(([key, { managedBy, tags }]) => {
        const isMine = managedBy === 'CONFIG' && (selectTag === null || tags.includes(selectTag));
        return isMine && !named.has(key) ? [key] : [];
      });
    const tagged = [...wanted.tenants].filter(
      ([, { facts }]) => selectTag === null || facts.tags.includes(selectTag),
    );
    await this.tenants.prune(run, new Map(tagged));
    // They have no tags.
    if (selectTag === null)
      await this.subjectRules.prune(
        run,
        this.subjectRules.planPrune(run, PLATFORM_RULES, wanted.subjectRules),
      );
    for (const key of gone(present.offers, wanted.offers)) await this.offers.remove(run, key);
    for (const key of gone(present.tiers, wanted.tiers)) await this.tiers.remove(run, key);
    for (const [key, api] of wanted.apis) await this.apis.prune(run, key, api);
    for (const key of gone(present.apis, wanted.apis)) await this.apis.delete(run, key);
  }
}

const PLATFORM_RULES = { tenantKey: null, path: ['subjectRules'] };

/** Twice the goal for the largest configuration, for a busy machine. */
const APPLY_TIMEOUT_MS = 120_000;

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
    if (withTenants && (await this.states.countTenants()) > MAX_CONFIG_TENANTS)
      throw badInput(`There are more than ${MAX_CONFIG_TENANTS} tenants. Leave them out.`);
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

  /**
   * Marks the named objects as managed by the configuration, read-only in the console. Those of the console are adopted: a
   * change that is recorded and needs the permission to change the object. @throws ConfigRefused
   */
  private async markManaged(run: ConfigRun): Promise<void> {
    const { change, wanted, present } = run;
    const { tx } = change;
    const stored = await this.states.read([...wanted.tenants.keys()], tx);
    const managed = new Map<ManagedKind, string[]>();
    for (const [kind, objects] of KINDS) {
      const ids: string[] = [];
      for (const [key, { id, managedBy, state }] of stored[objects]) {
        if (managedBy === 'CONFIG' || !wanted[objects].has(key)) continue;
        ids.push(id);
        if (!present[objects].has(key)) continue;
        const place = kind === 'tenant' ? { tenantKey: key } : { entityKey: key };
        const entityName = 'facts' in state ? state.facts.name : state.name;
        await adopt(run, kind, [objects, key], { entityId: id, entityName, ...place });
      }
      managed.set(kind, ids);
    }
    const adoptParts = async <S extends Target>(kind: ManagedKind, path: string[], parts: Parts<S>) => {
      const ids = managed.get(kind) ?? [];
      ids.push(...(await this.adoptParts(run, kind, path, parts)));
      managed.set(kind, ids);
    };
    await adoptParts('subjectRule', ['subjectRules'], {
      wanted: wanted.subjectRules,
      stored: stored.subjectRules.live,
      before: present.subjectRules.live,
      factsOf: ({ id, state }) => ({ entityId: id, entityName: ruleName(state) }),
    });
    for (const [key, tenant] of wanted.tenants) {
      const now = stored.tenants.get(key);
      if (now === undefined) continue;
      const before = present.tenants.get(key);
      const path = ['tenants', key];
      await adoptParts('override', [...path, 'overrides'], {
        ...{ wanted: tenant.overrides, stored: now.overrides, before: before?.overrides ?? [] },
        factsOf: ({ id, state }) => ({
          entityId: id,
          entityName: state.limit ?? 'all limits',
          tenantKey: key,
        }),
      });
      await adoptParts('alertThreshold', [...path, 'alerts'], {
        ...{ wanted: tenant.alerts, stored: now.alerts, before: before?.alerts ?? [] },
        factsOf: () => ({ entityId: now.id, entityName: now.state.facts.name, tenantKey: key }),
      });
      await adoptParts('subjectRule', [...path, 'subjectRules'], {
        ...{ wanted: tenant.subjectRules, stored: now.subjectRules, before: before?.subjectRules ?? [] },
        factsOf: ({ id, state }) => ({ entityId: id, entityName: ruleName(state), tenantKey: key }),
      });
    }
    for (const [kind, ids] of managed) if (ids.length > 0) await this.states.setManaged(tx, kind, ids);
  }

  /** Ids of the parts to mark. */
  private async adoptParts<S extends Target>(
    run: ConfigRun,
    kind: ManagedKind,
    path: string[],
    parts: Parts<S>,
  ): Promise<string[]> {
    const named = new Set(parts.wanted.map(targetOf));
    const known = new Set(parts.before.map(({ state }) => targetOf(state)));
    const ids: string[] = [];
    for (const part of parts.stored) {
      const target = targetOf(part.state);
      if (part.managedBy === 'CONFIG' || !named.has(target)) continue;
      ids.push(part.id);
      if (known.has(target)) await adopt(run, kind, [...path, target], parts.factsOf(part));
    }
    return ids;
  }
}

type AdoptedFacts = Pick<AuditFacts, 'entityId' | 'entityName' | 'entityKey' | 'tenantKey'>;

/** Overrides, thresholds or subject rules of one owner. */
interface Parts<S> {
  wanted: readonly S[];
  stored: readonly StoredPart<S>[];
  before: readonly StoredPart<S>[];
  factsOf: (part: StoredPart<S>) => AdoptedFacts;
}

const ruleName = ({ dimension, pattern }: SubjectRuleState): string => `${dimension} ${pattern}`;

const ADOPTED: Record<ManagedKind, AuditAction> = {
  api: 'api.adopt',
  tier: 'tier.adopt',
  offer: 'offer.adopt',
  tenant: 'tenant.adopt',
  override: 'override.adopt',
  alertThreshold: 'alertThresholds.adopt',
  subjectRule: 'subjectRule.adopt',
};

/** @throws ConfigRefused if the caller may not change the object */
async function adopt(run: ConfigRun, kind: ManagedKind, path: string[], facts: AdoptedFacts): Promise<void> {
  const [before, after] = [ManagedBy.CONSOLE, ManagedBy.CONFIG];
  run.note('ADOPT', path, [{ field: 'managedBy', before, after }]);
  const entry = { action: ADOPTED[kind], before: { managedBy: before }, after: { managedBy: after } };
  await run.change.audit({ ...entry, ...facts });
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
      'Applies a configuration in one change; the objects it names are managed by it from then on. Each change, ADOPT included, needs the permission to change the object. A dry run returns the difference.',
  })
  async apply(@Input() input: ConfigApplyInput, @CurrentCaller() caller: Caller) {
    const outcome = await this.service.apply(caller, input);
    return outcome.ok
      ? { changes: outcome.value, changeId: outcome.changeId, userErrors: [] }
      : { changes: [], changeId: null, userErrors: outcome.errors };
  }
}
