import { Injectable } from '@nestjs/common';
import {
  OverridesService,
  showEffect,
  type TenantRow,
  TenantsRepository,
  TenantsService,
} from '../../customers/index.js';
import { AlertsService } from '../../usage/index.js';
import { ConfigRefused, type ConfigRun } from './config-run.js';
import type { StoredPart, StoredTenant } from './config-state.repository.js';
import {
  type AlertState,
  invalid,
  type OverrideState,
  type Target,
  type TenantState,
  targetOf,
} from './config-state.rules.js';
import { SubjectRuleConfig } from './subject-rule-config.js';

type Tenants = ReadonlyMap<string, TenantState>;

/** A change of one tenant, with its path in the document. */
interface Step<S> {
  key: string;
  path: string[];
  wanted: S;
  present: StoredTenant | undefined;
}

/** The steps of all tenants, in the order of the document. */
interface Plan {
  facts: Step<TenantState['facts']>[];
  floors: Step<TenantState['floors']>[];
  overrides: Step<OverrideState>[];
  alerts: Step<AlertState>[];
}

/**
 * Applies the tenants of a configuration with their overrides, alert thresholds and subject rules. It never deletes a tenant. Each
 * kind of change is made for all tenants at once, so that the number of statements does not grow with the tenants.
 */
@Injectable()
export class TenantConfig {
  constructor(
    private readonly tenants: TenantsService,
    private readonly rows: TenantsRepository,
    private readonly overrides: OverridesService,
    private readonly alerts: AlertsService,
    private readonly subjectRules: SubjectRuleConfig,
  ) {}

  /** @throws ConfigRefused */
  async apply(run: ConfigRun, tenants: Tenants): Promise<void> {
    const plan: Plan = { facts: [], floors: [], overrides: [], alerts: [] };
    const subjectRules: ReturnType<SubjectRuleConfig['plan']> = [];
    for (const [key, wanted] of tenants) {
      planTenant(run, plan, key, wanted);
      subjectRules.push(...this.subjectRules.plan(run, rulesOf(key), wanted.subjectRules));
    }
    const versions = await this.lock(run, plan);
    await this.applyFacts(run, plan.facts, versions);
    for (const round of roundsOf(plan.overrides)) await this.applyOverrides(run, round, versions);
    // An override of a parent can raise the limit that the floors of its children divide.
    await this.applyFloors(run, plan.floors, versions);
    for (const round of roundsOf(plan.alerts)) await this.applyAlerts(run, round);
    await this.subjectRules.apply(run, subjectRules);
  }

  /** Removes overrides, thresholds and subject rules that a configuration manages and this one does not name. */
  async prune(run: ConfigRun, tenants: Tenants): Promise<void> {
    const overrides: Step<{ id: string }>[] = [];
    const alerts: Step<{ id: string }>[] = [];
    const subjectRules: ReturnType<SubjectRuleConfig['planPrune']> = [];
    for (const [key, wanted] of tenants) {
      const present = run.present.tenants.get(key);
      const unnamed = <S extends Target>(
        kind: string,
        stored: readonly StoredPart<S>[],
        named: readonly S[],
      ) =>
        unnamedParts(stored, named).map((part) => {
          const path = ['tenants', key, kind];
          run.note('DELETE', [...path, targetOf(part.state)]);
          return { key, path, wanted: part, present };
        });
      overrides.push(...unnamed('overrides', present?.overrides ?? [], wanted.overrides));
      alerts.push(...unnamed('alerts', present?.alerts ?? [], wanted.alerts));
      subjectRules.push(...this.subjectRules.planPrune(run, rulesOf(key), wanted.subjectRules));
    }
    const reason = 'Removed from the configuration';
    for (const round of roundsOf(overrides)) {
      const inputs = round.map(({ key, wanted: { id } }) => ({ tenantKey: key, overrideId: id, reason }));
      run.valuesOf(await this.overrides.removeAll(run.caller, inputs), pathsOf(round), () => false);
    }
    for (const round of roundsOf(alerts)) {
      const inputs = round.map(({ key, wanted: { id } }) => ({ tenantKey: key, id }));
      run.valuesOf(await this.alerts.removeAll(run.caller, inputs), pathsOf(round), () => false);
    }
    await this.subjectRules.prune(run, subjectRules);
  }

  /** Locks the tenants that change. Those whose own facts change must not have changed since they were read. */
  private async lock(run: ConfigRun, { facts, floors, overrides }: Plan): Promise<Versions> {
    const keys = [...facts, ...floors, ...overrides].flatMap(({ key, present }) => (present ? [key] : []));
    const locked = await this.rows.lockByKeys(run.change.tx, [...new Set(keys)]);
    return new Map([
      ...[...locked].map(([key, { version }]) => [key, version] as const),
      ...facts.map(({ key, present }) => [key, present?.version ?? 0] as const),
    ]);
  }

  /** Creates and changes tenants, then moves them to their tiers and versions. */
  private async applyFacts(run: ConfigRun, steps: Plan['facts'], versions: Versions): Promise<void> {
    const added = steps.filter(({ present }) => present === undefined);
    const changed = steps.filter(({ present }) => present !== undefined);
    const created = added.map(
      ({ key, wanted: { tier: tierKey, parent: parentKey, pinnedVersion: _, ...facts } }) => ({
        ...{ key, tierKey, parentKey, ...facts },
      }),
    );
    const updated = changed.map(({ key, wanted: { tier: _, parent: __, pinnedVersion: ___, ...facts } }) => ({
      ...{ ...seen(versions, key), ...facts },
    }));
    const rows = [
      ...(added.length === 0
        ? []
        : run.valuesOf(await this.tenants.createAll(run.caller, created), pathsOf(added))),
      ...(changed.length === 0
        ? []
        : run.valuesOf(await this.tenants.updateAll(run.caller, updated), pathsOf(changed))),
    ];
    remember(versions, rows);
    const moved = steps.filter(({ present, wanted: { tier, pinnedVersion } }) => {
      const facts = present?.state.facts;
      return tier !== (facts?.tier ?? tier) || pinnedVersion !== (facts?.pinnedVersion ?? null);
    });
    if (moved.length === 0) return;
    const moves = moved.map(({ key, wanted: { tier: tierKey, pinnedVersion } }) => ({
      ...{ ...seen(versions, key), tierKey, pinnedVersion },
    }));
    remember(versions, run.valuesOf(await this.tenants.changeTiers(run.caller, moves), pathsOf(moved)));
  }

  private async applyFloors(run: ConfigRun, steps: Plan['floors'], versions: Versions): Promise<void> {
    if (steps.length === 0) return;
    const inputs = steps.map(({ key, wanted }) => ({
      ...seen(versions, key),
      floors: wanted.map(({ api: apiKey, ...floor }) => ({ apiKey, ...floor })),
    }));
    remember(versions, run.valuesOf(await this.tenants.setAllFloors(run.caller, inputs), pathsOf(steps)));
  }

  private async applyOverrides(run: ConfigRun, steps: Plan['overrides'], versions: Versions): Promise<void> {
    const inputs = steps.map(({ key, wanted }) => {
      const { api, limit, appliesTo, effect, starts, expires, carryOver, reason } = wanted;
      return {
        ...seen(versions, key),
        apiKey: api,
        limit,
        appliesTo: appliesTo === null ? null : appliesTo === 'rate' ? ('RATE' as const) : ('QUOTA' as const),
        effect: { ...showEffect(effect) },
        carryOver,
        reason,
        expiresAt: expires === null ? null : new Date(expires),
        ...(starts === null ? {} : { startsAt: new Date(starts) }),
      };
    });
    const adjusted = run.valuesOf(await this.overrides.setAll(run.caller, inputs), pathsOf(steps));
    remember(
      versions,
      adjusted.map(({ tenant }) => tenant),
    );
  }

  private async applyAlerts(run: ConfigRun, steps: Plan['alerts']): Promise<void> {
    const inputs = steps.map(({ key, wanted: { api: apiKey, limit: limitName, percents } }) => ({
      ...{ tenantKey: key, apiKey, limitName, percents },
    }));
    run.valuesOf(await this.alerts.setAll(run.caller, inputs), pathsOf(steps));
  }
}

/** Versions of locked tenants by key. */
type Versions = Map<string, number>;

const seen = (versions: Versions, tenantKey: string) => ({
  tenantKey,
  expectedVersion: versions.get(tenantKey) ?? 0,
});

function remember(versions: Versions, changed: readonly TenantRow[]): void {
  for (const { key, version } of changed) versions.set(key, version);
}

/** Records the changes of a tenant. @throws ConfigRefused */
function planTenant(run: ConfigRun, plan: Plan, key: string, wanted: TenantState): void {
  const present = run.present.tenants.get(key);
  const old = present?.state;
  const path = ['tenants', key];
  if (run.differs(path, old?.facts, wanted.facts)) {
    if (old !== undefined && old.facts.parent !== wanted.facts.parent)
      throw new ConfigRefused([permanentParent(path, old.facts.parent)]);
    plan.facts.push({ key, path, wanted: wanted.facts, present });
  }
  const { floors } = wanted;
  if (run.differs([...path, 'floors'], { floors: old?.floors ?? [] }, { floors }))
    plan.floors.push({ key, path, wanted: floors, present });
  for (const [index, override] of wanted.overrides.entries()) {
    const place = [...path, 'overrides', String(index)];
    const same = old?.overrides.find((one) => targetOf(one) === targetOf(override));
    // An override without a start began when it was first applied.
    const starts = override.starts ?? same?.starts ?? null;
    if (run.differs(place, same, { ...override, starts }))
      plan.overrides.push({ key, path: place, wanted: override, present });
  }
  for (const [index, alert] of wanted.alerts.entries()) {
    const place = [...path, 'alerts', String(index)];
    const same = old?.alerts.find((one) => targetOf(one) === targetOf(alert));
    if (run.differs(place, same, alert)) plan.alerts.push({ key, path: place, wanted: alert, present });
  }
}

/** Lists with at most one step per tenant, which keep the order of the steps of each tenant. */
function roundsOf<S>(steps: readonly Step<S>[]): Step<S>[][] {
  const rounds: Step<S>[][] = [];
  const counts = new Map<string, number>();
  for (const step of steps) {
    const round = counts.get(step.key) ?? 0;
    counts.set(step.key, round + 1);
    rounds[round] ??= [];
    rounds[round].push(step);
  }
  return rounds;
}

const pathsOf = (steps: readonly { path: string[] }[]): string[][] => steps.map(({ path }) => path);

/** Parts that a configuration manages and this one does not name. */
function unnamedParts<S extends Target>(
  stored: readonly StoredPart<S>[],
  named: readonly S[],
): StoredPart<S>[] {
  const targets = new Set(named.map(targetOf));
  return stored.filter(({ state, managedBy }) => managedBy === 'CONFIG' && !targets.has(targetOf(state)));
}

function permanentParent(path: string[], parent: string | null) {
  const fix = parent === null ? 'leave parent out' : `write parent: ${parent}`;
  return invalid(
    [...path, 'parent'],
    `The parent of a tenant is permanent: ${fix}, or create a tenant with another key.`,
  );
}

const rulesOf = (tenantKey: string) => ({ tenantKey, path: ['tenants', tenantKey, 'subjectRules'] });
