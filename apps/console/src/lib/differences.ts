import { type LimitPolicy, limitPolicySchema } from '@tollgate/contracts';
import { isCode, readField, wordsOf } from '@tollgate/contracts/format';
import { formatMoney } from '@tollgate/contracts/money';
import type { EffectKind } from '../generated/graphql.js';
import { capital } from './effect-text.js';
import { EFFECT_KIND_TEXT } from './labels.js';
import { diffLimits, type LimitChange } from './limit-diff.js';
import { formatNumber } from './number-format.js';
import { readersZone } from './time-format.js';

/** A value that differs between two records, in words. */
export interface FieldDifference {
  label: string;
  before: string | undefined;
  after: string | undefined;
}

/** Names that differ from those of the screens. */
const LABELS: Readonly<Record<string, string>> = {
  billingAnchorDay: 'billing day',
  carryOver: 'existing usage',
  onUnavailable: 'if Redis is unavailable',
  unknownOperations: 'unregistered operations',
};

/** Texts by people, which may look like constants. */
const FREE_TEXT =
  /^(?:name|title|label|note|reason|description|email|keys?|tags|operations|.*Key|.*Keys|limit|limitName)$/;

/** Values that differ between two records, nested ones included; limits are left to `limitChangesOf`. */
export function differencesOf(before: unknown, after: unknown): FieldDifference[] {
  const [from, to] = [valuesOf(before), valuesOf(after)];
  return [...new Set([...from.keys(), ...to.keys()])]
    .filter((label) => from.get(label) !== to.get(label))
    .map((label) => ({ label: capital(label), before: from.get(label), after: to.get(label) }));
}

function valuesOf(
  value: unknown,
  names: readonly string[] = [],
  found = new Map<string, string>(),
): Map<string, string> {
  if (value === null || value === undefined) return found;
  const name = names.at(-1) ?? '';
  const label = names.map((one) => LABELS[one] ?? wordsOf(one)).join(' ');
  if (typeof value !== 'object') {
    const text = textIn(value, name);
    return text === '' ? found : found.set(label || 'value', text);
  }
  if (Array.isArray(value)) {
    if (readPolicies(value)) return found;
    const isFlat = value.every((one) => typeof one !== 'object');
    if (isFlat) found.set(label, value.map((one) => textIn(one, name)).join(', ') || 'none');
    else for (const [i, one] of value.entries()) valuesOf(one, [...names, String(i + 1)], found);
    return found;
  }
  const effect = effectText(value as Record<string, unknown>);
  if (effect !== undefined) return found.set(label || 'effect', effect);
  const { currency } = value as { currency?: unknown };
  for (const [own, part] of Object.entries(value)) {
    const money = /^(.+)Minor$/.exec(own)?.[1];
    if (money && /^[A-Z]{3}$/.test(String(currency)) && typeof part === 'number')
      found.set([...names, money].map(wordsOf).join(' '), formatMoney(part, String(currency)));
    else if (!(own === 'limits' && readPolicies(part))) valuesOf(part, [...names, own], found);
  }
  return found;
}

/** The effect of an adjustment: `set to 30`, `add 5`, `multiply by 150 %`. */
function effectText({ kind, limit, units, percent }: Record<string, unknown>): string | undefined {
  const words = EFFECT_KIND_TEXT[String(kind).toUpperCase() as EffectKind]?.toLowerCase();
  const amount = limit ?? units ?? percent;
  if (words === undefined || typeof amount !== 'number') return undefined;
  return `${words} ${formatNumber(amount)}${percent === undefined ? '' : ' %'}`;
}

const textIn = (value: unknown, name: string): string =>
  typeof value === 'string' && (FREE_TEXT.test(name) || isCode(name))
    ? value
    : readField(value, readersZone());

/** Changes of the limits in two records; undefined if they contain none. */
export function limitChangesOf(before: unknown, after: unknown): LimitChange[] | undefined {
  const [from, to] = [before, after].map((record) =>
    readPolicies((record as { limits?: unknown } | null)?.limits),
  );
  return from || to ? diffLimits(from ?? [], to ?? []) : undefined;
}

function readPolicies(value: unknown): LimitPolicy[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const parsed = value.map((one) => limitPolicySchema.safeParse(one));
  return parsed.every(({ success }) => success) ? parsed.map(({ data }) => data as LimitPolicy) : undefined;
}

/** A mutation in words: `tierPublish` as `Publish tier`. */
export function describeCommand(command: string): string {
  const words = wordsOf(command).split(' ');
  const verb = words.at(-1) ?? command;
  return capital([verb, ...words.slice(0, -1)].join(' '));
}

/** Names of the objects in the input of a mutation: `acme / shop / per-minute`. */
export function targetOf(input: unknown): string {
  const { tenantKey, tierKey, apiKey, offerKey, name, key, limit } = (input ?? {}) as Record<string, unknown>;
  const parts = [tenantKey, tierKey, apiKey, offerKey, key, name, limit];
  return parts.filter((part) => typeof part === 'string').join(' / ');
}

/** The input of a mutation in words, without the names of `targetOf`; limits as their number. */
export function describeInput(input: unknown): FieldDifference[] {
  const { limits, ...rest } = (input ?? {}) as Record<string, unknown>;
  const count = Array.isArray(limits) ? formatNumber(limits.length) : undefined;
  return [
    ...differencesOf(null, rest),
    ...(count === undefined ? [] : [{ label: 'Limits', before: undefined, after: count }]),
  ];
}
