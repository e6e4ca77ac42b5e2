import { type Catalogue, compareLimits, type LimitPolicy, resolveLimit } from '@tollgate/contracts';
import type { Impact } from '../../../platform/graphql/mutation.graphql.js';
import { apiChanges } from './api-changes.js';
import { type Direction, either, moreIsLooser, UNCHANGED } from './direction.js';
import type { PolicyView, Standing } from './policy-view.js';

/** Tenants that a change reaches alike. */
export interface ReachedGroup extends Direction {
  /** How they stand afterwards; null where they are gone. */
  standing: Standing | null;
  /** The one that it is about; null: all who stand so and are not reached by themselves. */
  tenant: string | null;
  /** Limits that admit less than before. */
  tightened: readonly LimitPolicy[];
}

/** Whom a change reaches. */
export interface Reach {
  counts: Impact;
  groups: readonly ReachedGroup[];
}

/** Finds whom the way from one view to the other loosens and tightens. Tenants who stand alike are compared once. */
export function findReach(before: PolicyView, after: PolicyView): Reach {
  const comparison = new Comparison(before, after);
  const counts: Impact = { tenants: 0, loosened: 0, tightened: 0 };
  const groups: ReachedGroup[] = [];
  const reach = (
    tenants: number,
    tenant: string | null,
    was: string | undefined,
    is: string | undefined,
  ): void => {
    const { changes, looser, tighter, tightened } = comparison.of(was, is);
    if (!changes) return;
    counts.tenants += tenants;
    if (looser) counts.loosened += tenants;
    if (tighter) counts.tightened += tenants;
    const standing = (is === undefined ? undefined : after.standings.get(is)) ?? null;
    groups.push({ standing, tenant, looser, tighter, tightened });
  };
  for (const tenant of new Set([...before.tenants.keys(), ...after.tenants.keys()])) {
    reach(1, tenant, before.tenants.get(tenant), after.tenants.get(tenant));
  }
  for (const [standing, tenants] of after.others) reach(tenants, null, standing, standing);
  return { counts, groups };
}

interface Verdict extends Direction {
  changes: boolean;
  tightened: readonly LimitPolicy[];
}

class Comparison {
  private readonly apis: ReadonlyMap<string, Direction>;
  private readonly verdicts = new Map<string, Verdict>();

  constructor(
    private readonly before: PolicyView,
    private readonly after: PolicyView,
  ) {
    this.apis = apiChanges(before.catalogue.apis, after.catalogue.apis);
  }

  of(was: string | undefined, is: string | undefined): Verdict {
    const key = `${was ?? ''}\n${is ?? ''}`;
    let verdict = this.verdicts.get(key);
    if (verdict === undefined) {
      verdict = this.compare(
        was === undefined ? undefined : this.before.standings.get(was),
        is === undefined ? undefined : this.after.standings.get(is),
      );
      this.verdicts.set(key, verdict);
    }
    return verdict;
  }

  private compare(was: Standing | undefined, is: Standing | undefined): Verdict {
    // Somebody new has nothing to compare with, and somebody who leaves has nothing left.
    if (was === undefined || is === undefined) return { ...UNCHANGED, changes: was !== is, tightened: [] };
    const old = limitsOf(this.before.catalogue, was);
    const next = limitsOf(this.after.catalogue, is);
    const { loosened, tightened } = compareLimits(old, next);
    const concerned = new Set(next.map(({ api }) => api));
    const direction = either([
      { looser: loosened.length > 0, tighter: tightened.length > 0 },
      moreIsLooser(Number(was.status === 'active'), Number(is.status === 'active')),
      ...[...concerned].map((api) => this.apis.get(api) ?? UNCHANGED),
      this.ofWeight(was, is, next),
    ]);
    const narrowed = new Set(tightened);
    return {
      ...direction,
      changes: direction.looser || direction.tighter,
      tightened: next.filter(({ api, name }) => narrowed.has(`${api}/${name}`)),
    };
  }

  /** Spare capacity is shared by weight among those who may borrow. */
  private ofWeight(was: Standing, is: Standing, limits: readonly LimitPolicy[]): Direction {
    if (!limits.some(({ throttle }) => throttle?.mode === 'elastic')) return UNCHANGED;
    return moreIsLooser(weightOf(this.before.catalogue, was), weightOf(this.after.catalogue, is));
  }
}

type Tiers = Pick<Catalogue, 'tiers'>;

function limitsOf({ tiers }: Tiers, { tier, pinnedVersion, adjustments }: Standing): LimitPolicy[] {
  const record = tiers.find(({ key }) => key === tier);
  const number = pinnedVersion ?? record?.currentVersion;
  const version = record?.versions.find((one) => one.number === number);
  return (version?.limits ?? []).map((limit) => resolveLimit(limit, adjustments).policy);
}

function weightOf({ tiers }: Tiers, { tier }: Standing): number {
  return tiers.find(({ key }) => key === tier)?.weight ?? 1;
}
