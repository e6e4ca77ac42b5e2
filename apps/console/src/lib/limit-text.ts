import {
  DEFAULT_ATTEMPT_TIMEOUT_MS,
  type LimitPolicy,
  type LimitStorage,
  prefixesOf,
  RULE_FIELDS,
  type Rule,
} from '@tollgate/contracts';
import { coversEveryApi } from '@tollgate/contracts/limit-scope';
import { formatAmount, formatAmounts, formatCount, formatDuration, formatPercent } from './rate.js';

/** Labels of the fields of a limit, in the order of the form. A rule's own fields have theirs in RULE_FIELDS. */
export const LIMIT_LABELS = {
  algorithm: 'Algorithm',
  throttle: 'When exceeded',
  enforcement: 'Enforced',
  charge: 'Charge',
  attemptTimeoutMs: 'Unreported attempts expire after',
  operations: 'Operations',
  alsoApis: 'Also counts',
  per: 'Counted per',
  onMissing: 'If the value is missing',
  ipv4Prefix: 'IPv4 prefix',
  ipv6Prefix: 'IPv6 prefix',
  amounts: 'Amounts per label',
  consistency: 'Consistency',
  onUnavailable: 'If Redis is unavailable',
  deadlineMs: 'Redis timeout',
  inHeaders: 'Response headers',
  storage: 'Storage',
  expectedSubjects: 'Expected subjects',
  penalty: 'Penalty',
  rolloverPercent: 'Roll over at most',
  warmUp: 'Warm-up of new tenants',
  sharedWithChildren: 'Child tenants',
  candidate: 'Candidate',
} as const;

/** Labels of the fields of terms, by their path in the limit. */
export const TERM_LABELS = {
  'throttle.percent': 'Extra allowance',
  'throttle.maxPercent': 'Maximum extra allowance',
  'throttle.maxDelayMs': 'Maximum delay',
  'enforcement.percent': 'Share of counters',
  'consistency.leaseMs': 'Lease duration',
  'penalty.denials': 'Denials until a block',
  'penalty.windowMs': 'Counted within',
  'penalty.blockMs': 'First block',
  'penalty.maxBlockMs': 'Longest block',
  'warmUp.startPercent': 'Start',
  'warmUp.ms': 'Whole limit after',
} as const;

const FIELD_LABELS: ReadonlyMap<string, string> = new Map([
  ['limit', 'Limit'],
  ...Object.entries(LIMIT_LABELS),
  ...Object.entries(RULE_FIELDS).map(([field, { label }]): [string, string] => [field, label]),
  ...Object.entries(TERM_LABELS),
]);

/**
 * Words an error of the schema for the form: labels instead of names of fields, durations instead of milliseconds.
 * @param path of its field in the limit
 */
export function formError(message: string, path: string): string {
  const parent = path.slice(0, path.lastIndexOf('.') + 1);
  const field = path.slice(parent.length);
  const labelOf = (name: string) => FIELD_LABELS.get(parent + name) ?? FIELD_LABELS.get(name);
  const label = message.startsWith(`${field} `) ? labelOf(field) : undefined;
  const rest = label === undefined ? message : message.slice(field.length);
  const worded = rest.replace(/\b[a-z]+\d?[A-Z]\w*\b/g, (name) => inSentence(labelOf(name)) ?? name);
  if (label === undefined) return worded;
  return label + (/ms$/i.test(field) ? withDurations(worded) : worded);
}

const inSentence = (label: string | undefined): string | undefined =>
  label?.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());

const withDurations = (text: string): string =>
  text
    .replace('a whole number from ', '')
    .replace(/(\d[\d,]*)(?: \([^)]*\))?/g, (_, digits: string) =>
      formatDuration(Number(digits.replaceAll(',', ''))),
    );

/** Describes the algorithm without its rate: `fixed window`, `burst 10`, `bucket of 500`. */
export function describeRule(rule: Rule): string {
  switch (rule.algorithm) {
    case 'fixed_window':
      return rule.alignment === 'clock' ? 'fixed window' : 'fixed window from the first request';
    case 'sliding_window_counter':
      return rule.buckets === 1 ? 'sliding window, estimated' : `sliding window in ${rule.buckets} steps`;
    case 'token_bucket':
      return `bucket of ${formatCount(rule.capacity)}${rule.refill === 'interval' ? ', refilled at intervals' : ''}`;
    case 'leaky_bucket':
      return `queue of ${formatCount(rule.queue)}`;
    case 'gcra':
      return rule.burst === 0 ? 'evenly spaced' : `burst ${formatCount(rule.burst)}`;
    case 'concurrency':
      return `lease of ${formatDuration(rule.leaseMs)}`;
    case 'quota':
      return 'calendar period';
    case 'sliding_window_log':
      return 'sliding window, exact';
  }
}

/** `per tenant`, `per user + ip`, `all tenants together`. */
export function describePer(per: readonly string[]): string {
  if (per.length === 0) return 'per tenant';
  if (per[0] !== 'global') return `per ${per.join(' + ')}`;
  return per.length === 1 ? 'all tenants together' : `per ${per.slice(1).join(' + ')}, all tenants`;
}

/** Describes the behavior above the limit: `denied`, `10 % more, marked`. */
export function describeThrottle({ throttle }: LimitPolicy): string {
  switch (throttle?.mode) {
    case 'soft':
      return `${throttle.percent} % more, marked`;
    case 'elastic':
      return `${throttle.maxPercent} % more from pool ${throttle.pool}`;
    case 'queue':
      return `delayed by up to ${formatDuration(throttle.maxDelayMs)}`;
    default:
      return 'denied';
  }
}

/** `always`, `shadow`, `for 20 % of counters`. */
export function describeEnforcement({ enforcement }: LimitPolicy): string {
  if (enforcement?.mode === 'percent') return `for ${enforcement.percent} % of counters`;
  return enforcement?.mode === 'shadow' ? 'shadow' : 'always';
}

export function describeCharge({ charge = 'always' }: LimitPolicy): string {
  return { always: 'every request', on_failure: 'failures only', on_success: 'successes only' }[charge];
}

/** Undefined for a limit that does not count failures. */
export function describeAttempts({ charge, attemptTimeoutMs }: LimitPolicy): string | undefined {
  return charge === 'on_failure' ? formatDuration(attemptTimeoutMs ?? DEFAULT_ATTEMPT_TIMEOUT_MS) : undefined;
}

/** `250ms`, `node default`. */
export const describeDeadline = ({ deadlineMs }: LimitPolicy): string =>
  deadlineMs === undefined ? 'node default' : formatDuration(deadlineMs);

export const STORAGES: Readonly<Record<LimitStorage, string>> = {
  key: 'One key per counter',
  packed: 'Packed in hashes',
  subject: 'One hash per subject',
};

export const describeStorage = ({ storage = 'key' }: LimitPolicy): string => uncapitalized(STORAGES[storage]);

/** Undefined for a limit that is not packed. */
export const describeSubjects = ({ expectedSubjects }: LimitPolicy): string | undefined =>
  expectedSubjects === undefined ? undefined : formatCount(expectedSubjects);

/** `after 10 denials in 1m, blocked for 5m to 1h`, `none`. */
export function describePenalty({ penalty }: LimitPolicy): string {
  if (penalty === undefined) return 'none';
  const { denials, windowMs, blockMs, maxBlockMs } = penalty;
  const blocked =
    blockMs === maxBlockMs
      ? formatDuration(blockMs)
      : `${formatDuration(blockMs)} to ${formatDuration(maxBlockMs)}`;
  const times = denials === 1 ? 'denial' : 'denials';
  return `after ${formatCount(denials)} ${times} in ${formatDuration(windowMs)}, blocked for ${blocked}`;
}

/** `/24`; undefined for a limit that does not count by address. */
export const describeIpv4 = (limit: LimitPolicy): string | undefined =>
  limit.per.includes('ip') ? `/${prefixesOf(limit).ipv4Prefix}` : undefined;

/** `/48`; undefined for a limit that does not count by address. */
export const describeIpv6 = (limit: LimitPolicy): string | undefined =>
  limit.per.includes('ip') ? `/${prefixesOf(limit).ipv6Prefix}` : undefined;

/** `region: eu 100, us 300, * 50`, `none`. */
export const describeAmounts = ({ amounts }: LimitPolicy): string => formatAmounts(amounts) || 'none';

/** Undefined for a limit that is no quota. */
export function describeRollover({ algorithm, rolloverPercent }: LimitPolicy): string | undefined {
  if (algorithm !== 'quota') return undefined;
  return rolloverPercent === undefined ? 'nothing' : `${formatPercent(rolloverPercent)} of the limit`;
}

/** `from 20 % in 7d`, `none`. */
export const describeWarmUp = ({ warmUp }: LimitPolicy): string =>
  warmUp === undefined ? 'none' : `from ${warmUp.startPercent} % in ${formatDuration(warmUp.ms)}`;

export const describeSharing = ({ sharedWithChildren = false }: LimitPolicy): string =>
  sharedWithChildren ? 'count on it too' : 'do not count';

const uncapitalized = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

/** Undefined for a limit that counts by the tenant alone. */
export function describeMissing({ per, onMissing = 'shared' }: LimitPolicy): string | undefined {
  if (!countsByValues(per)) return undefined;
  return { shared: 'shared counter', skip: 'limit skipped', refuse: 'request rejected' }[onMissing];
}

/** `billing, search`, `every other API`; undefined for a limit on one API. */
export const describeReach = (limit: LimitPolicy): string | undefined =>
  coversEveryApi(limit) ? 'every other API' : limit.alsoApis?.join(', ');

export const describeHeaders = ({ inHeaders = true }: LimitPolicy): string =>
  inHeaders ? 'shown' : 'hidden';

/** Whether requests send values that the limit counts by. */
export const countsByValues = (per: readonly string[]): boolean => per.some((name) => name !== 'global');

export function describeConsistency({ consistency }: LimitPolicy): string {
  return consistency?.mode === 'leased' ? `leased for ${formatDuration(consistency.leaseMs)}` : 'strict';
}

export function describeCandidate({ candidate }: LimitPolicy): string {
  return candidate ? `${formatAmount(candidate)}, ${describeRule(candidate)}` : 'none';
}

/** Describes unusual terms of a limit; empty if there are none. */
export function describeTerms(policy: LimitPolicy): string[] {
  const { throttle, enforcement, charge = 'always', consistency, candidate } = policy;
  const terms: string[] = [];
  if (throttle && throttle.mode !== 'hard') terms.push(describeThrottle(policy));
  if (enforcement?.mode === 'shadow') terms.push('shadow');
  if (enforcement?.mode === 'percent') terms.push(`enforced ${describeEnforcement(policy)}`);
  if (charge !== 'always') terms.push(describeCharge(policy));
  const missing =
    policy.onMissing === undefined || policy.onMissing === 'shared' ? undefined : describeMissing(policy);
  if (missing !== undefined) terms.push(`without a value: ${missing}`);
  if (consistency?.mode === 'leased') terms.push(describeConsistency(policy));
  if (policy.deadlineMs !== undefined) terms.push(`Redis timeout ${describeDeadline(policy)}`);
  if (policy.storage !== undefined && policy.storage !== 'key') terms.push(describeStorage(policy));
  if (policy.penalty !== undefined) terms.push(describePenalty(policy));
  if (policy.ipv4Prefix !== undefined) terms.push(`IPv4 by ${describeIpv4(policy)}`);
  if (policy.ipv6Prefix !== undefined) terms.push(`IPv6 by ${describeIpv6(policy)}`);
  if (policy.amounts !== undefined) terms.push(`by ${describeAmounts(policy)}`);
  if (policy.rolloverPercent !== undefined) terms.push(`rolls over ${describeRollover(policy)} at most`);
  if (policy.warmUp !== undefined) terms.push(`new tenants ${describeWarmUp(policy)}`);
  if (policy.sharedWithChildren === true) terms.push('shared with child tenants');
  if (policy.inHeaders === false) terms.push('hidden from headers');
  if (candidate) terms.push(`candidate: ${describeCandidate(policy)}`);
  return terms;
}
