import { type LimitPolicy } from '@tollgate/contracts';
import { groupBy } from '@tollgate/contracts/older-node';
import { type ReadTenantLimits } from '../decision-client.js';
import { type Charge, type ChargeLog, type CountedBy } from './charge-log.js';
import { estimateRecount, slidingWindowRecount } from './sliding-window.js';
import { intervalBucketRecount, spacedRecount } from './spaced.js';
import { fixedWindowRecount, type JudgedCharge, quotaRecount, type RecountRule } from './windows.js';

/**
 * Returns the reason if the log is insufficient for a recount. The rules do not use the limiter's models, because a recount checks the
 * product from outside.
 */
export function ruleFor(policy: LimitPolicy): RecountRule<LimitPolicy> | string {
  return whyNot(policy) ?? (ruleOf(policy) as unknown as RecountRule<LimitPolicy>);
}

function whyNot({ throttle, consistency }: LimitPolicy): string | undefined {
  if (throttle?.mode === 'elastic')
    return 'the log does not contain the spare capacity of the pool (elastic)';
  if (throttle?.mode === 'queue') return 'requests above the limit run later (queue)';
  if (consistency?.mode === 'leased') return 'nodes spend ahead of the shared counters (leased)';
  return undefined;
}

function ruleOf(policy: LimitPolicy) {
  switch (policy.algorithm) {
    case 'fixed_window':
      return fixedWindowRecount;
    case 'quota':
      return quotaRecount;
    case 'sliding_window_log':
      return slidingWindowRecount;
    case 'sliding_window_counter':
      return policy.buckets === 1 ? estimateRecount : slidingWindowRecount;
    case 'token_bucket':
      return policy.refill === 'interval' ? intervalBucketRecount : spacedRecount;
    case 'gcra':
    case 'leaky_bucket':
      return spacedRecount;
    case 'concurrency':
      return 'the log does not contain the end of requests (concurrency)';
  }
}

interface Revision {
  revision: number;
  policies: ReadonlyMap<string, LimitPolicy>;
}

export class LimitHistory {
  private readonly revisions: Revision[] = [];

  add({ revision, limits }: ReadTenantLimits): void {
    if (this.knows(revision)) return;
    this.revisions.push({ revision, policies: new Map(limits.map(({ policy }) => [policy.name, policy])) });
    this.revisions.sort((a, b) => a.revision - b.revision);
  }

  knows(revision: number): boolean {
    return this.revisions.some((known) => known.revision === revision);
  }

  /**
   * The limit that decided a charge. If its revision was replaced before it could be read, or does not match the
   * answer because a node applied a new tier shortly before it reported the new revision: the same limit in the
   * adjacent revisions. Undefined if none matches or they differ.
   */
  find({ revision, limit, limitMax, windowMs }: Charge): LimitPolicy | undefined {
    const after = this.revisions.findIndex((known) => known.revision > revision);
    const next = after < 0 ? this.revisions.length : after;
    const agrees = (policy: LimitPolicy | undefined): policy is LimitPolicy =>
      policy?.limit === limitMax && (!('windowMs' in policy) || policy.windowMs === windowMs);
    const known = this.revisions[next - 1];
    const own = known?.policies.get(limit);
    if (known?.revision === revision && agrees(own)) return own;
    const first = known?.revision === revision ? next - 2 : next - 1;
    const [earlier, later] = [first, next].map((i) => this.revisions[i]?.policies.get(limit)).filter(agrees);
    if (earlier === undefined || later === undefined) return earlier ?? later;
    return JSON.stringify(earlier) === JSON.stringify(later) ? earlier : undefined;
  }
}

export interface Recount {
  charges: number;
  counters: number;
  /** Cost admitted beyond the limits; 0 if the server enforced them. */
  overAdmitted: number;
  /** Answers that contradict the limit or the clock; with any, `overAdmitted` is unreliable. */
  contradictions: number;
  /** Most frequent reason first. */
  leftOut: { reason: string; charges: number }[];
  findings: string[];
}

const MAX_FINDINGS = 5;

const REPLACED = 'their limit was replaced before it could be read';

/**
 * Recounts every admission from the log and the published limits, independently of the counters that decided.
 * @param toleranceMs maximum clock difference between client and store
 */
export function recount(log: ChargeLog, limits: LimitHistory, toleranceMs: number): Recount {
  const result: Recount = {
    charges: 0,
    counters: 0,
    overAdmitted: 0,
    contradictions: 0,
    leftOut: [],
    findings: [],
  };
  const leftOut = new Map(log.uncounted);
  for (const countedBy of ['client', 'tenant'] as const) {
    for (const charges of log.groups(countedBy)) {
      const regimes = splitRegimes(charges, limits, countedBy, leftOut);
      if (regimes.length > 0) result.counters++;
      for (const regime of regimes) add(result, regime, toleranceMs);
    }
  }
  result.leftOut = [...leftOut]
    .map(([reason, charges]) => ({ reason, charges }))
    .sort((a, b) => b.charges - a.charges);
  return result;
}

interface Regime {
  counter: string;
  rule: RecountRule<LimitPolicy>;
  key: string;
  charges: JudgedCharge[];
}

function add(result: Recount, { counter, rule, charges }: Regime, toleranceMs: number): void {
  const verdict = rule.judge(charges, toleranceMs);
  result.charges += charges.length;
  result.overAdmitted += verdict.overAdmitted;
  result.contradictions += verdict.contradictions;
  const { finding } = verdict;
  if (finding !== undefined && result.findings.length < MAX_FINDINGS)
    result.findings.push(`${counter}: ${finding}`);
}

/** Splits the charges of one counter where its limit changed in a way that its rule cannot count across. */
function splitRegimes(
  charges: readonly Charge[],
  limits: LimitHistory,
  countedBy: CountedBy,
  leftOut: Map<string, number>,
): Regime[] {
  const regimes: Regime[] = [];
  const versions = groupBy(charges, (charge) => `${charge.revision} ${charge.limitMax} ${charge.windowMs}`);
  const ordered = [...versions.values()].sort((a, b) => (a[0]?.revision ?? 0) - (b[0]?.revision ?? 0));
  for (const ofVersion of ordered) {
    const [first] = ofVersion;
    const policy = first === undefined ? undefined : limits.find(first);
    const isByClient = policy?.per.includes('ip') ?? false;
    if (first === undefined || isByClient !== (countedBy === 'client')) continue;
    const rule = policy && ruleFor(policy);
    if (policy === undefined || typeof rule !== 'object') {
      const reason = typeof rule === 'string' ? rule : REPLACED;
      leftOut.set(reason, (leftOut.get(reason) ?? 0) + ofVersion.length);
      continue;
    }
    const key = `${policy.algorithm} ${rule.regime(policy)}`;
    const judged = ofVersion.map((charge): JudgedCharge => ({ ...charge, policy }));
    const last = regimes.at(-1);
    if (last?.key === key) last.charges = last.charges.concat(judged);
    else {
      const counter = `${policy.name} for ${isByClient ? first.client : 'the tenant'}`;
      regimes.push({ counter, rule, key, charges: judged });
    }
  }
  return regimes;
}
