import type { LimitPolicy } from '@tollgate/contracts';
import type { Charge, ChargeLog, CountedBy } from './charge-log.js';
import { fixedWindowRecount } from './fixed-window.js';
import { gcraRecount } from './gcra.js';
import type { LimitHistory } from './limit-history.js';
import type { JudgedCharge, RecountRule } from './recount-rule.js';

/** What counting every admission again found. */
export interface Recount {
  /** Admissions recounted, one for each limit that was charged. */
  charges: number;
  counters: number;
  /** Cost admitted beyond the limits: 0, or the server let too much through. */
  overAdmitted: number;
  /** Answers that contradict the limit or the clock: 0, or the count above cannot be relied on. */
  contradictions: number;
  /** Admissions that could not be recounted: their limit was replaced before it could be read, or has no rule here. */
  leftOut: number;
  /** The first few that went wrong, for people. */
  findings: string[];
}

const MAX_FINDINGS = 5;

// A rule only ever meets policies of its own algorithm.
const RULES: ReadonlyMap<string, RecountRule<LimitPolicy>> = new Map([
  ['fixed_window', fixedWindowRecount as unknown as RecountRule<LimitPolicy>],
  ['gcra', gcraRecount as unknown as RecountRule<LimitPolicy>],
]);

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
    leftOut: 0,
    findings: [],
  };
  for (const countedBy of ['client', 'tenant'] as const) {
    for (const charges of log.groups(countedBy)) {
      const regimes = splitRegimes(charges, limits, countedBy);
      if (regimes.length > 0) result.counters++;
      for (const regime of regimes) add(result, regime, toleranceMs);
    }
  }
  result.leftOut = log.size - result.charges;
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

/** The charges of one counter, cut where its limit changed in a way that its rule cannot count across. */
function splitRegimes(charges: readonly Charge[], limits: LimitHistory, countedBy: CountedBy): Regime[] {
  const regimes: Regime[] = [];
  const versions = Map.groupBy(
    charges,
    (charge) => `${charge.revision} ${charge.limitMax} ${charge.windowMs}`,
  );
  const ordered = [...versions.values()].sort((a, b) => (a[0]?.revision ?? 0) - (b[0]?.revision ?? 0));
  for (const ofVersion of ordered) {
    const [first] = ofVersion;
    const policy = first === undefined ? undefined : limits.find(first);
    const rule = policy === undefined ? undefined : RULES.get(policy.algorithm);
    if (first === undefined || policy === undefined || rule === undefined) continue;
    const isByClient = policy.per.includes('ip');
    if (isByClient !== (countedBy === 'client')) continue;
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
