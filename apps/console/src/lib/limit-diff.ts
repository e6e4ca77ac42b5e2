import {
  ALGORITHMS,
  compareLimits,
  type LimitPolicy,
  RULE_FIELDS,
  type RuleField,
} from '@tollgate/contracts';
import { ruleOf } from './limit-fields.js';
import {
  describeAmounts,
  describeAttempts,
  describeCandidate,
  describeCharge,
  describeConsistency,
  describeDeadline,
  describeEnforcement,
  describeHeaders,
  describeIpv4,
  describeIpv6,
  describeMissing,
  describePenalty,
  describePer,
  describeReach,
  describeRollover,
  describeSharing,
  describeStorage,
  describeSubjects,
  describeThrottle,
  describeWarmUp,
  LIMIT_LABELS,
} from './limit-text.js';
import { formatAmount, formatDuration } from './rate.js';

/** Whether callers may do more after a change, less, more in one respect and less in another, or the same. */
export type Effect = 'increased' | 'decreased' | 'mixed' | 'neutral';

/** The effect of several changes together. */
export function combine(effects: readonly Effect[]): Effect {
  const isMixed = effects.includes('mixed');
  return effectOf(isMixed || effects.includes('increased'), isMixed || effects.includes('decreased'));
}

export function effectOf(isIncreased: boolean, isDecreased: boolean): Effect {
  if (isIncreased && isDecreased) return 'mixed';
  if (isIncreased) return 'increased';
  return isDecreased ? 'decreased' : 'neutral';
}

export interface FieldChange {
  label: string;
  before: string;
  after: string;
}

export interface LimitChange {
  kind: 'added' | 'removed' | 'changed';
  api: string;
  name: string;
  effect: Effect;
  before: LimitPolicy | undefined;
  after: LimitPolicy | undefined;
  /** Empty for added and removed limits. */
  fields: FieldChange[];
}

/** Changes between two sets of limits; limits match by API and name. */
export function diffLimits(before: readonly LimitPolicy[], after: readonly LimitPolicy[]): LimitChange[] {
  const old = new Map(before.map((limit) => [identityOf(limit), limit]));
  const present = new Set(after.map(identityOf));
  const { increased, decreased } = compareLimits(before, after);
  const changeOf = (
    kind: LimitChange['kind'],
    from: LimitPolicy | undefined,
    to: LimitPolicy | undefined,
    fields: FieldChange[] = [],
  ): LimitChange => {
    const { api, name } = (to ?? from) as LimitPolicy;
    const identity = identityOf({ api, name });
    const effect = effectOf(increased.includes(identity), decreased.includes(identity));
    return { kind, api, name, effect, before: from, after: to, fields };
  };
  const kept = after.flatMap((limit) => {
    const previous = old.get(identityOf(limit));
    if (!previous) return [changeOf('added', undefined, limit)];
    const fields = diffFields(previous, limit);
    return fields.length > 0 ? [changeOf('changed', previous, limit, fields)] : [];
  });
  const removed = before.filter((limit) => !present.has(identityOf(limit)));
  return [...kept, ...removed.map((limit) => changeOf('removed', limit, undefined))];
}

/** `API/name`, the identity of a limit within a tier. */
export const identityOf = ({ api, name }: Pick<LimitPolicy, 'api' | 'name'>): string => `${api}/${name}`;

/** Describes a field; undefined for a limit that has no such field. */
type Describe = (limit: LimitPolicy) => string | undefined;

const RULE_DESCRIPTIONS = (Object.keys(RULE_FIELDS) as RuleField[])
  // Both are part of the amount.
  .filter((field) => field !== 'windowMs' && field !== 'period')
  .map((field): [string, Describe] => [RULE_FIELDS[field].label, (limit) => describeRuleField(limit, field)]);

function describeRuleField(limit: LimitPolicy, field: RuleField): string | undefined {
  const value = (limit as Partial<Record<RuleField, string | number>>)[field];
  if (value === undefined) return undefined;
  const row = RULE_FIELDS[field];
  if ('choices' in row) return (row.choices as Record<string, string>)[value];
  return row.unit === 'ms' ? formatDuration(Number(value)) : String(value);
}

const DESCRIPTIONS: ReadonlyArray<[label: string, describe: Describe]> = [
  ['Limit', (limit) => formatAmount(ruleOf(limit))],
  [LIMIT_LABELS.algorithm, ({ algorithm }) => ALGORITHMS[algorithm].label],
  ...RULE_DESCRIPTIONS,
  [LIMIT_LABELS.throttle, describeThrottle],
  [LIMIT_LABELS.enforcement, describeEnforcement],
  [LIMIT_LABELS.charge, describeCharge],
  [LIMIT_LABELS.attemptTimeoutMs, describeAttempts],
  [LIMIT_LABELS.operations, ({ operations }) => operations.join(', ') || 'all'],
  [LIMIT_LABELS.alsoApis, (limit) => describeReach(limit) ?? 'no other API'],
  [LIMIT_LABELS.per, ({ per }) => describePer(per).replace(/^per /, '')],
  [LIMIT_LABELS.onMissing, describeMissing],
  [LIMIT_LABELS.ipv4Prefix, describeIpv4],
  [LIMIT_LABELS.ipv6Prefix, describeIpv6],
  [LIMIT_LABELS.amounts, describeAmounts],
  [LIMIT_LABELS.consistency, describeConsistency],
  [LIMIT_LABELS.onUnavailable, ({ onUnavailable }) => onUnavailable],
  [LIMIT_LABELS.deadlineMs, describeDeadline],
  [LIMIT_LABELS.inHeaders, describeHeaders],
  [LIMIT_LABELS.storage, describeStorage],
  [LIMIT_LABELS.expectedSubjects, describeSubjects],
  [LIMIT_LABELS.penalty, describePenalty],
  [LIMIT_LABELS.rolloverPercent, describeRollover],
  [LIMIT_LABELS.warmUp, describeWarmUp],
  [LIMIT_LABELS.sharedWithChildren, describeSharing],
  [LIMIT_LABELS.candidate, describeCandidate],
];

function diffFields(from: LimitPolicy, to: LimitPolicy): FieldChange[] {
  return DESCRIPTIONS.flatMap(([label, describe]) => {
    const [before, after] = [describe(from), describe(to)];
    return before === after || before === undefined || after === undefined ? [] : [{ label, before, after }];
  });
}
