import type { QuotaPeriod, Rule } from '@tollgate/contracts';
import { ruleWith } from './limit-rule.js';
import { formatCount, formatRate, type Parsed, parseCount, parseRate } from './rate.js';

/** A calendar period, as it stands behind “per”. */
const PERIOD_NAMES: Readonly<Record<QuotaPeriod, string>> = {
  day: 'day',
  week: 'week',
  month: 'month',
  billing: 'billing period',
};

const QUOTA_PATTERN = /^(.*?)\s*(?:\/|\bper\b|\beach\b|\ba\b)\s*(day|week|month|billing)(?:\s+period)?$/i;

/** How much a rule lets through: `100/min`, `10k/month`, `5 at once`. {@link parseAmount} reads the same back. */
export function formatAmount(rule: Rule): string {
  switch (rule.algorithm) {
    case 'concurrency':
      return `${formatCount(rule.limit)} at once`;
    case 'quota':
      return `${formatCount(rule.limit)}/${PERIOD_NAMES[rule.period]}`;
    default:
      return formatRate(rule);
  }
}

/**
 * Reads how much a rule is to let through, as people type it: a rate where it has a window, a number where it has none,
 * for a quota with or without its period. The message of a failure says what to type instead.
 */
export function parseAmount(text: string, rule: Rule): Parsed<Rule> {
  switch (rule.algorithm) {
    case 'concurrency': {
      const limit = parseCount(text.replace(/\s*at once\s*$/i, ''));
      return limit.ok ? { ok: true, value: { ...rule, limit: limit.value } } : limit;
    }
    case 'quota': {
      const match = QUOTA_PATTERN.exec(text.trim());
      const limit = parseCount(match?.[1] ?? text);
      if (!limit.ok) return { ok: false, message: 'Type a number such as 10k, or 10k/month' };
      const period = match?.[2]?.toLowerCase() ?? rule.period;
      return { ok: true, value: { ...rule, limit: limit.value, period: period as QuotaPeriod } };
    }
    default: {
      const rate = parseRate(text);
      return rate.ok ? { ok: true, value: { ...rule, ...rate.value } } : rate;
    }
  }
}

/**
 * Reads an amount as {@link parseAmount} does, and goes over to another algorithm where the text says so: `10k per month` is
 * a quota, `5 at once` a number of slots, `100/min` a rate.
 * @param rule what is there; undefined: nothing yet
 */
export function readAmount(text: string, rule: Rule | undefined): Parsed<Rule> {
  const start: Rule = rule ?? { algorithm: 'fixed_window', limit: 1, windowMs: 60_000, alignment: 'clock' };
  const typed = text.trim();
  if (/\bat once$/i.test(typed)) return parseAmount(typed, ruleWith('concurrency', start));
  if (
    start.algorithm !== 'quota' &&
    /(\/|\bper\b|\ba\b|\beach\b)\s*(month|billing(\s+period)?)$/i.test(typed)
  ) {
    return parseAmount(typed, ruleWith('quota', start));
  }
  const parsed = parseAmount(typed, start);
  if (parsed.ok) return parsed;
  const asRate = parseRate(typed);
  return asRate.ok
    ? { ok: true, value: { algorithm: 'fixed_window', alignment: 'clock', ...asRate.value } }
    : parsed;
}
