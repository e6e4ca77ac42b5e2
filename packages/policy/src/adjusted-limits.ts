import { createHash } from 'node:crypto';
import {
  type Adjustment,
  type LimitPolicy,
  type LimitSource,
  resolveLimit,
  sourceOf,
} from '@tollgate/contracts';
import { Generations, getOrAdd } from '@tollgate/contracts/maps';

const MAX_LIMITS = 20_000;
const MAX_SETS = 5000;

export interface AdjustmentSet {
  readonly all: readonly Adjustment[];
  /** Equal for adjustments with the same effect; empty: no adjustments. */
  readonly key: string;
}

export const UNADJUSTED: AdjustmentSet = { all: [], key: '' };

export function adjustmentSet(
  all: readonly Adjustment[] | undefined,
  indexes: readonly number[] | undefined,
): AdjustmentSet {
  if (all === undefined || indexes === undefined || indexes.length === 0) return UNADJUSTED;
  const chosen = indexes.flatMap((index) => all[index] ?? []);
  if (chosen.length === 0) return UNADJUSTED;
  const texts = chosen.map(({ source, api, limit, appliesTo, effect }) => {
    return JSON.stringify([source, api, limit, appliesTo, effect]);
  });
  // A digest, because the key is part of many cache keys.
  const digest = createHash('sha256').update(texts.sort().join('\n')).digest('base64');
  return { all: chosen, key: digest.slice(0, 22) };
}

export interface AdjustedVersion {
  readonly limits: readonly LimitPolicy[];
  sourceOf(limit: LimitPolicy): LimitSource;
}

/** Resolves limits once for all tenants with the same adjustments. Equal limits are one object. */
export class AdjustedLimits {
  private readonly versions = new WeakMap<readonly LimitPolicy[], AdjustedVersion>();
  private readonly sets = new Generations<AdjustedVersion>(MAX_SETS / 2);
  private readonly limits = new Generations<LimitPolicy>(MAX_LIMITS / 2);

  constructor(private readonly defaults: ReadonlySet<LimitPolicy>) {}

  baseOf(stored: LimitPolicy): 'default' | 'tier' {
    return this.defaults.has(stored) ? 'default' : 'tier';
  }

  of(name: string, stored: readonly LimitPolicy[], adjustments: AdjustmentSet): AdjustedVersion {
    if (adjustments.key === '') return this.unadjusted(stored);
    const key = `${name} ${adjustments.key}`;
    return getOrAdd(this.sets, key, () => this.resolve(stored, adjustments.all));
  }

  private unadjusted(limits: readonly LimitPolicy[]): AdjustedVersion {
    return getOrAdd(this.versions, limits, () => ({ limits, sourceOf: (limit) => this.baseOf(limit) }));
  }

  private resolve(stored: readonly LimitPolicy[], adjustments: readonly Adjustment[]): AdjustedVersion {
    const sources = new Map<LimitPolicy, LimitSource>();
    const limits = stored.map((base) => {
      const { policy, provenance } = resolveLimit(base, adjustments);
      const limit = policy === base ? base : this.shared(policy);
      sources.set(limit, sourceOf(provenance, this.baseOf(base)));
      return limit;
    });
    return { limits, sourceOf: (limit) => sources.get(limit) ?? 'tier' };
  }

  private shared(policy: LimitPolicy): LimitPolicy {
    return getOrAdd(this.limits, JSON.stringify(policy), () => policy);
  }
}
