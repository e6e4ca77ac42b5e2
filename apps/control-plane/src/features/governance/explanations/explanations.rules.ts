import {
  type AlgorithmName,
  COMMON_LABEL,
  coversApi,
  FLOOR_LABEL,
  hasDefaultPrefixes,
  isBlocking,
  type LimitPolicy,
  PARENT_LABEL,
  type Reach,
} from '@tollgate/contracts';
import type { Decision } from '../../usage/index.js';
import type {
  CapacityField,
  CounterPoint,
  LimitState,
  PassingRequest,
  SufficientAmount,
} from './explanations.graphql.js';

const CAPACITY_FIELDS: Partial<Record<AlgorithmName, Lowercase<CapacityField>>> = {
  token_bucket: 'capacity',
  gcra: 'burst',
  leaky_bucket: 'queue',
};

/** A limit that a decision checked, by its name and the label of its part. */
export type CheckedLimit = Pick<Decision['policies'][number], 'limitName' | 'label'>;

/** Whether it is a limit that the parent of a child shares, or a part of one. */
export function isShared(check: Pick<CheckedLimit, 'label'>): boolean {
  return check.label === PARENT_LABEL || isPart(check);
}

/** Whether it is a part of a shared limit, whose number is not that of the limit. */
function isPart({ label }: Pick<CheckedLimit, 'label'>): boolean {
  return label === FLOOR_LABEL || label === COMMON_LABEL;
}

/** A charge needs an allowed request and a limit that allowed it. */
export function statesOf(
  { cost, policies, outcome, reason }: Decision,
  ruleOf: (check: CheckedLimit) => LimitPolicy | undefined,
): LimitState[] {
  const isCharged = !outcome.endsWith('DENIED') || outcome === 'SHADOW_DENIED';
  return policies.map(({ limitName, label, mode, success, limit, remaining }) => ({
    ...{ limitName, label, mode, success, limit },
    before: isCharged && success ? remaining + cost : remaining,
    after: remaining,
    sufficient:
      success || mode === 'CANDIDATE' || reason === 'PENALTY' || isPart({ label })
        ? null
        : sufficientAmount(ruleOf({ limitName, label }), limit, cost - remaining),
  }));
}

/**
 * @param limit the value that applied; differs from that of the rule if the rule for the caller has changed since
 * @param missing units that the limit lacked
 */
function sufficientAmount(
  rule: LimitPolicy | undefined,
  limit: number,
  missing: number,
): SufficientAmount | null {
  if (rule === undefined) return null;
  const field = CAPACITY_FIELDS[rule.algorithm] ?? 'limit';
  const stored = (rule as unknown as Record<string, number | undefined>)[field];
  const value = field === 'limit' ? limit : rule.limit === limit ? stored : undefined;
  if (value === undefined) return null;
  return { field: field.toUpperCase() as CapacityField, value: value + Math.max(1, missing) };
}

/**
 * Null if no enforced limit denied the decision: waiting or a smaller cost would then change nothing. A penalty blocks every
 * cost until it ends, whatever the limit.
 */
export function passingRequest({
  at,
  policies,
  retryAfter,
  outcome,
  reason,
}: Decision): PassingRequest | null {
  const denied = policies.filter(({ mode, success }) => mode === 'ENFORCE' && !success);
  if (denied.length === 0 || outcome !== 'DENIED') return null;
  const cost = Math.min(...denied.map(({ remaining }) => remaining));
  return {
    at: retryAfter === null ? null : passesAt(at.getTime() + retryAfter * 1000, denied),
    cost: cost > 0 && reason !== 'PENALTY' ? cost : null,
  };
}

/** `retryAfter` is rounded up to seconds: the reset of a limit within that second, such as midnight, or the next whole second. */
function passesAt(latestMs: number, denied: readonly Pick<Decision['policies'][number], 'resetAt'>[]): Date {
  const secondMs = Math.floor(latestMs / 1000) * 1000;
  const isReset = denied.some(({ resetAt }) => resetAt.getTime() === secondMs);
  return new Date(isReset ? secondMs : Math.ceil(latestMs / 1000) * 1000);
}

/** What the limit that decided left; undefined if the amount of a label or a part of a shared limit decided. */
export function lastCheck(decision: Decision): Decision['policies'][number] | undefined {
  const deciding = decidingLabel(decision);
  if (deciding !== null && deciding !== PARENT_LABEL) return undefined;
  return checksBy(decision.limitName, decision.policies).find(({ label }) => label === deciding);
}

/**
 * Whether recorded requests determine the counter of a limit.
 * @param applied the value that applied to the caller; another one than that of the limit comes from a rule that changed since
 */
export function isReplayable(limit: LimitPolicy, applied: number): boolean {
  const { algorithm, per, amounts, charge = 'always', consistency, throttle } = limit;
  return (
    algorithm !== 'concurrency' &&
    !isBlocking(limit) &&
    per[0] !== 'global' &&
    amounts === undefined &&
    charge === 'always' &&
    consistency?.mode !== 'leased' &&
    throttle?.mode !== 'elastic' &&
    (hasDefaultPrefixes(limit) || !per.includes('ip')) &&
    applied === limit.limit
  );
}

function checksBy(limitName: string | null, policies: Decision['policies']) {
  return policies.filter((one) => one.limitName === limitName && one.mode !== 'CANDIDATE');
}

/** Of the limit that decided: the label whose amount denied or had the least left; null: the limit itself. */
export function decidingLabel({ limitName, policies }: Decision): string | null {
  const checks = checksBy(limitName, policies).toSorted(
    (a, b) => Number(a.success) - Number(b.success) || a.remaining - b.remaining,
  );
  return checks[0]?.label ?? null;
}

/**
 * The decisions that checked the counter of the limit that decided, oldest first. Of a limit on other networks than the default, whose
 * addresses samples do not have, only this one.
 * @param limit its APIs, dimensions and prefixes @param samples of the same tenant
 */
export function counterPoints(
  decision: Decision,
  limit: Reach & Pick<LimitPolicy, 'per' | 'ipv4Prefix' | 'ipv6Prefix'>,
  samples: readonly Decision[],
): CounterPoint[] {
  const counterOf = ({ subject }: Decision) =>
    JSON.stringify(limit.per.map((name) => subject.find(({ dimension }) => dimension === name)?.pseudonym));
  const counter = counterOf(decision);
  const label = decidingLabel(decision);
  const isSame = hasDefaultPrefixes(limit)
    ? (sample: Decision) => counterOf(sample) === counter
    : ({ requestId }: Decision) => requestId === decision.requestId;
  return samples
    .filter((sample) => coversApi(limit, sample.apiKey) && isSame(sample))
    .flatMap(({ at, requestId, cost, policies }) => {
      const policy = checksBy(decision.limitName, policies).find((one) => one.label === label);
      return policy ? [{ at, requestId, cost, remaining: policy.remaining, success: policy.success }] : [];
    })
    .sort((a, b) => a.at.getTime() - b.at.getTime());
}
