import { catalogueSchema } from '@tollgate/contracts';
import { compileLimit } from '@tollgate/limiter/rules';
import type { ReplayPolicy } from './policy.js';

export interface WarmUp {
  readonly warmUpMs: number;
  /** Limits, `api/name`, whose window is longer than the warm-up: the draft denies too little of them. */
  readonly notWarm: readonly string[];
}

/**
 * The longest window that is at most half of the recording.
 * @param spanMs length of the recording @param known limits, `api/name`, that start with known usage
 */
export function warmUpOf(
  policies: readonly ReplayPolicy[],
  spanMs: number,
  known: ReadonlySet<string> = new Set(),
): WarmUp {
  let warmUpMs = 0;
  const notWarm = new Set<string>();
  for (const limit of policies.flatMap(limitsOf)) {
    const result = compileLimit(limit);
    const name = `${limit.api}/${limit.name}`;
    if (!result.ok || limit.algorithm === 'concurrency' || known.has(name)) continue;
    const { horizonMs } = result.limit.policy;
    if (2 * horizonMs > spanMs) notWarm.add(name);
    else warmUpMs = Math.max(warmUpMs, horizonMs);
  }
  return { warmUpMs, notWarm: [...notWarm].sort() };
}

/** Limits of the tiers that have tenants. */
function limitsOf({ catalogueText, tenants }: ReplayPolicy) {
  const { tiers } = catalogueSchema.parse(JSON.parse(catalogueText));
  const used = new Set(tenants.map(({ tier }) => tier));
  return tiers
    .filter(({ key }) => used.has(key))
    .flatMap(({ currentVersion, versions }) => versions.filter(({ number }) => number === currentVersion))
    .flatMap(({ limits }) => limits);
}
