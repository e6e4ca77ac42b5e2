import { hasDefaultPrefixes, prefixesOf } from './limit-address.js';
import type { LabelAmounts } from './limit-amounts.js';
import { DEFAULT_ATTEMPT_TIMEOUT_MS, type LimitPolicy, type Rule } from './limit-policy.js';
import { coversEveryApi, isBlocking, reachOf } from './limit-scope.js';
import { formatCount } from './limit-title.js';

/**
 * "Up to 100 requests an hour per tenant and user; then 429 …", plus a sentence for each term. Used by console,
 * GraphQL and decision API.
 */
export function summarizeLimit(policy: LimitPolicy): string {
  const who = counted(policy.per);
  const { candidate } = policy;
  const sentences = [sentenceOf(policy, who), ...termsOf(policy)];
  if (candidate)
    sentences.push(`Candidate, counted but never enforced: ${uncapitalized(sentenceOf(candidate, who))}`);
  return sentences.join(' ');
}

/** "per tenant and user", "for all tenants together", "per ip of all tenants together". */
function counted(per: readonly string[]): string {
  if (per[0] !== 'global') return `per ${list(['tenant', ...per])}`;
  return per.length === 1 ? 'for all tenants together' : `per ${list(per.slice(1))} of all tenants together`;
}

function sentenceOf(rule: Rule, who: string): string {
  if (isBlocking(rule)) return 'Blocked: every request is denied with 403.';
  const requests = `${formatCount(rule.limit)} ${rule.limit === 1 ? 'request' : 'requests'}`;
  switch (rule.algorithm) {
    case 'fixed_window': {
      const until =
        rule.alignment === 'clock'
          ? 'until the next one begins'
          : 'until it ends; the first request starts it';
      return `Up to ${requests} ${each(rule.windowMs)} ${who}; then 429 ${until}.`;
    }
    case 'sliding_window_log':
      return `Up to ${requests} in any ${roundedSpan(rule.windowMs)} ${who}; then 429 until the oldest is ${article(rule.windowMs)} old.`;
    case 'sliding_window_counter': {
      const how =
        rule.buckets === 1
          ? 'estimated from this window and the one before'
          : `counted in ${rule.buckets} steps of ${article(rule.windowMs / rule.buckets)}`;
      return `Up to ${requests} in any ${roundedSpan(rule.windowMs)} ${who}, ${how}; then 429 until enough of them are over.`;
    }
    case 'token_bucket': {
      const refill =
        rule.refill === 'continuous'
          ? `refilled evenly by ${formatCount(rule.limit)} ${each(rule.windowMs)}`
          : `refilled by ${formatCount(rule.limit)} at the end of every ${roundedSpan(rule.windowMs)}`;
      return `Up to ${formatCount(rule.capacity)} at once ${who}, ${refill}; then 429 until enough are back.`;
    }
    case 'leaky_bucket': {
      const waiting =
        rule.queue === 0
          ? 'none waiting; then 429 until the next one is due'
          : `${formatCount(rule.queue)} more waiting at most, each with its delay; then 429 until one has left`;
      return `One request every ${roundedSpan(rule.windowMs / rule.limit)} ${who}, ${waiting}.`;
    }
    case 'gcra': {
      const spacing = rule.limit === 1 ? '' : `, one every ${roundedSpan(rule.windowMs / rule.limit)}`;
      const burst = rule.burst === 0 ? '' : `, up to ${formatCount(rule.burst + 1)} at once`;
      return `${requests} ${each(rule.windowMs)} ${who}${spacing}${burst}; then 429 until the next one is due.`;
    }
    case 'concurrency':
      return `Up to ${requests} at the same time ${who}; then 429 until one ends. A permit that is neither released nor renewed is free again after ${article(rule.leaseMs)}.`;
    case 'quota': {
      const period = rule.period === 'billing' ? 'billing period' : rule.period;
      return `Up to ${requests} a ${period} ${who}, by the tenant's calendar; then 429 until the next one begins.`;
    }
  }
}

function termsOf(policy: LimitPolicy): string[] {
  return [...(isBlocking(policy) ? [] : countingTerms(policy)), ...scopeTerms(policy)];
}

function countingTerms(policy: LimitPolicy): string[] {
  const { throttle, charge, consistency, limit, penalty, warmUp } = policy;
  const terms: string[] = [];
  const more = (percent: number) => Math.floor((limit * percent) / 100);
  if (throttle?.mode === 'soft') {
    const extra = more(throttle.percent);
    terms.push(
      `Up to ${formatCount(extra)} more ${extra === 1 ? 'passes' : 'pass'} above the limit, marked.`,
    );
  } else if (throttle?.mode === 'elastic') {
    terms.push(
      `Up to ${formatCount(more(throttle.maxPercent))} more pass while pool ${throttle.pool} has capacity to spare.`,
    );
  } else if (throttle?.mode === 'queue') {
    terms.push(
      `Requests are delayed by up to ${article(throttle.maxDelayMs)}; 429 only if the delay would be longer.`,
    );
  }
  if (charge === 'on_failure') {
    const timeout = article(policy.attemptTimeoutMs ?? DEFAULT_ATTEMPT_TIMEOUT_MS);
    terms.push(`Only failures count: a request without a reported outcome is in flight for ${timeout}.`);
  }
  if (charge === 'on_success') terms.push('Only successes count: a reported failure is refunded.');
  if (consistency?.mode === 'leased')
    terms.push(`Nodes lease capacity, for ${article(consistency.leaseMs)} at most.`);
  if (penalty !== undefined) {
    const { denials, windowMs, blockMs, maxBlockMs } = penalty;
    const after = `${formatCount(denials)} ${denials === 1 ? 'denial' : `denials in ${article(windowMs)}`}`;
    const growth =
      maxBlockMs === blockMs ? '' : `, doubled with each repetition up to ${article(maxBlockMs)}`;
    terms.push(`After ${after}, all requests are denied for ${article(blockMs)}${growth}.`);
  }
  if (warmUp !== undefined) {
    const { ms, startPercent } = warmUp;
    terms.push(`New tenants start at ${startPercent} % and have the whole limit after ${article(ms)}.`);
  }
  if (policy.rolloverPercent !== undefined)
    terms.push(
      `Unused units roll over to the next period, at most ${policy.rolloverPercent} % of the limit.`,
    );
  return terms;
}

function scopeTerms(policy: LimitPolicy): string[] {
  const { enforcement, per, onMissing, alsoApis, amounts } = policy;
  const terms: string[] = [];
  if (coversEveryApi(policy)) terms.push('Counts the requests of every API.');
  else if (alsoApis !== undefined) terms.push(`Counts the requests of ${list(reachOf(policy))} together.`);
  if (policy.sharedWithChildren === true) terms.push('Counts the requests of child tenants too.');
  if (amounts !== undefined && !isBlocking(policy)) terms.push(amountsOf(amounts));
  if (!hasDefaultPrefixes(policy)) {
    const { ipv4Prefix, ipv6Prefix } = prefixesOf(policy);
    terms.push(`IPv4 addresses count by their /${ipv4Prefix}, IPv6 by their /${ipv6Prefix}.`);
  }
  if (enforcement?.mode === 'shadow') terms.push('Shadow mode: counted, never denied.');
  if (enforcement?.mode === 'percent')
    terms.push(`Enforced for ${enforcement.percent} % of counters, in shadow mode for the others.`);
  const dimensions = per.filter((name) => name !== 'global');
  if (dimensions.length > 0 && onMissing === 'skip')
    terms.push(`Requests without ${list(dimensions, 'or')} are not limited by it.`);
  if (dimensions.length > 0 && onMissing === 'refuse')
    terms.push(`Requests without ${list(dimensions, 'or')} are rejected with 400.`);
  return terms;
}

/** "Of these, by region, at most 100 for eu and 300 for us; 50 for all others together." */
function amountsOf({ by, labels, others }: LabelAmounts): string {
  const parts = labels.map(({ label, limit }) => `${formatCount(limit)} for ${label}`);
  const rest =
    others === undefined
      ? ''
      : others === 0
        ? '; none for others'
        : `; ${formatCount(others)} for all others together`;
  return `Of these, by ${by}, at most ${list(parts)}${rest}.`;
}

const UNITS: readonly [ms: number, name: string][] = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
  [1000, 'second'],
];

/** "an hour", "every 5 minutes", "every 90 seconds". */
function each(ms: number): string {
  const [unitMs, unit] = UNITS.find(([size]) => ms % size === 0) ?? [1, 'ms'];
  if (unit === 'ms') return `every ${formatCount(ms)} ms`;
  return ms === unitMs ? article(ms) : `every ${formatCount(ms / unitMs)} ${unit}s`;
}

/** "hour", "5 minutes", "1.5 minutes", "16.7 ms". */
function roundedSpan(ms: number): string {
  for (const [unitMs, unit] of UNITS) {
    if (ms < unitMs) continue;
    const value = ms % unitMs === 0 ? ms / unitMs : Number((ms / unitMs).toPrecision(3));
    return value === 1 ? unit : `${formatCount(value)} ${unit}s`;
  }
  return `${Number(ms.toPrecision(3))} ms`;
}

function article(ms: number): string {
  const text = roundedSpan(ms);
  return /^\d/.test(text) ? text : `${text === 'hour' ? 'an' : 'a'} ${text}`;
}

const list = (names: readonly string[], and = 'and'): string =>
  names.length === 1 ? String(names[0]) : `${names.slice(0, -1).join(', ')} ${and} ${names.at(-1)}`;

const uncapitalized = (sentence: string): string => sentence.charAt(0).toLowerCase() + sentence.slice(1);
