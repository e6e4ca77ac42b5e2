import type { LimitPolicy } from '@tollgate/contracts';
import type { Charge, ChargeLog, CountedBy } from './charge-log.js';
import type { LimitHistory } from './limit-history.js';
import type { JudgedCharge, RecountRule } from './recount-rule.js';
import { ruleFor } from './rules.js';

/** What counting every admission again found. */
export interface Recount {
  /** Admissions recounted, one for each limit that was charged. */
  charges: number;
  counters: number;
  /** Cost admitted beyond the limits: 0, or the server let too much through. */
  overAdmitted: number;
  /** Answers that contradict the limit or the clock: 0, or the count above cannot be relied on. */
  contradictions: number;
  /** Admissions that could not be recounted, the most frequent reason first. */
  leftOut: { reason: string; charges: number }[];
  /** The first few that went wrong, for people. */
  findings: string[];
}

const MAX_FINDINGS = 5;

const REPLACED = 'their limit was replaced before it could be read';

/**
 * Counts every admission of a replay again, from its own log and the published limits, without trusting the counters
 * that decided. Needs no order of the log: several requests of one client may have been under way at once.
 *
 * @param toleranceMs how far the clocks of client and store may differ
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

/**
 * The charges of one counter, cut where its limit changed in a way that its rule cannot count across.
 *
 * @param leftOut charges that no rule can count, by reason: raised here
 */
function splitRegimes(
  charges: readonly Charge[],
  limits: LimitHistory,
  countedBy: CountedBy,
  leftOut: Map<string, number>,
): Regime[] {
  const regimes: Regime[] = [];
  const versions = Map.groupBy(
    charges,
    (charge) => `${charge.revision} ${charge.limitMax} ${charge.windowMs}`,
  );
  const ordered = [...versions.values()].sort((a, b) => (a[0]?.revision ?? 0) - (b[0]?.revision ?? 0));
  for (const ofVersion of ordered) {
    const [first] = ofVersion;
    const policy = first === undefined ? undefined : limits.find(first);
    const isByClient = policy?.per.includes('ip') ?? false;
    if (first === undefined || isByClient !== (countedBy === 'client')) continue;
    const { rule, reason = REPLACED } = policy === undefined ? {} : ruleFor(policy);
    if (policy === undefined || rule === undefined) {
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
