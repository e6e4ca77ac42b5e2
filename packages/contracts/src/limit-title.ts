import type { LimitPolicy, Rule } from './limit-policy.js';
import { coversEveryApi, isBlocking, type Reach, reachOf } from './limit-scope.js';

const INITIALISMS = new Set(['api', 'id', 'ip', 'url', 'urls', 'ids', 'sms', 'pdf', 'csv', 'http', 'sso']);

/** A key or operation name as words: `createURL` and `create-url` become `Create URL`. */
export function wordsOfName(name: string): string {
  const words = name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .split(/[\s\-_.:/]+/)
    .filter((word) => word !== '')
    .map((word) => {
      const lower = word.toLowerCase();
      return INITIALISMS.has(lower) ? lower.toUpperCase().replace(/S$/, lower === 'sms' ? 'S' : 's') : lower;
    });
  const text = words.join(' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** What a limit counts: its operations, or its APIs when it covers all of them. */
export function limitTitle(limit: Reach & Pick<LimitPolicy, 'operations'>): string {
  if (coversEveryApi(limit)) return 'All APIs';
  if (limit.operations.length === 0) return `All of ${shortList(reachOf(limit).map(wordsOfName))}`;
  return shortList(limit.operations.map(wordsOfName));
}

const shortList = (names: readonly string[]): string =>
  names.length > 3 ? `${names.slice(0, 2).join(', ')} and ${names.length - 2} more` : names.join(', ');

const SPANS = [
  ['week', 604_800_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
  ['millisecond', 1],
] as const;

/** `minute`, `15 minutes`. */
export function spanInWords(windowMs: number): string {
  const [name, ms] = SPANS.find(([, length]) => windowMs >= length && windowMs % length === 0) ?? SPANS[5];
  return windowMs === ms ? name : `${formatCount(windowMs / ms)} ${name}s`;
}

/** The span of a rule: `per minute`, `per billing period`, `at once`. */
export function perSpan(rule: Rule): string {
  if (rule.algorithm === 'concurrency') return 'at once';
  if (rule.algorithm === 'quota') return `per ${rule.period === 'billing' ? 'billing period' : rule.period}`;
  return `per ${spanInWords(rule.windowMs)}`;
}

const COUNTS_IN_WINDOWS = {
  fixed_window: true,
  sliding_window_log: true,
  sliding_window_counter: true,
  token_bucket: false,
  leaky_bucket: false,
  gcra: false,
  concurrency: false,
  quota: false,
} as const satisfies Record<Rule['algorithm'], boolean>;

/** Counts requests in windows of `windowMs`. */
export type WindowAlgorithm = {
  [A in Rule['algorithm']]: (typeof COUNTS_IN_WINDOWS)[A] extends true ? A : never;
}[Rule['algorithm']];

/** Whether a rate limit counts requests in windows; buckets and queues are measured by their burst. */
export const countsInWindows = <R extends Pick<Rule, 'algorithm'>>(
  rule: R,
): rule is Extract<R, { algorithm: WindowAlgorithm }> => COUNTS_IN_WINDOWS[rule.algorithm];

/** `180 per minute`, `10 per 15 minutes`, `5 at once`, `blocked`. */
export const amountInWords = (rule: Rule): string =>
  isBlocking(rule) ? 'blocked' : `${formatCount(rule.limit)} ${perSpan(rule)}`;

/** Dimensions of a limit as words: `IP`, `user`. */
export const dimensionsInWords = (per: readonly string[]): string =>
  per
    .filter((name) => name !== 'global')
    .map((name) => {
      const words = wordsOfName(name);
      return INITIALISMS.has(name.toLowerCase()) ? words : words.toLowerCase();
    })
    .join(' and ');

export const formatCount = (value: number): string => value.toLocaleString('en-US');
