import {
  apiKeySchema,
  type FieldError,
  type LimitPolicy,
  MAX_LIMITS_PER_REQUEST,
  summarizeLimit,
} from '@tollgate/contracts';
import { checkLimitPolicy } from '@tollgate/decision-plane/internals';
import { invalid, notFound, userError } from '../../../platform/changes/outcome.js';
import { type UserError, UserErrorCode } from '../../../platform/graphql/user-error.graphql.js';
import { LimitOrigin } from '../../../platform/prisma/schema.js';
import { coversOperation, maxUnitsAtOnce } from '../apis/api.rules.js';
import type { LimitInput } from './limit.inputs.js';
import { toLimitDraft } from './limit.inputs.js';
import { findNeverReached } from './unreachable-limits.js';

/** The most limits that one tier version may hold. */
export const MAX_LIMITS_PER_VERSION = 200;

/** What an API knows of itself, as far as limits need it. */
export interface KnownApi {
  id: string;
  /** What one request of each costs, by name. */
  operations: ReadonlyMap<string, number>;
  /** Oldest first. */
  pools: ReadonlyMap<string, { operations: readonly string[]; capacity: number }>;
}

/** A checked limit, the API row that it belongs to, and whose it is. */
export interface CheckedLimit {
  policy: LimitPolicy;
  apiId: string;
  origin: LimitOrigin;
}

/**
 * Checks all limits of a draft: each by itself, its names against the APIs that exist, and all of them together.
 * Errors carry paths such as `["limits", "2", "windowMs"]`.
 */
export function checkDraft(
  inputs: readonly LimitInput[],
  apis: ReadonlyMap<string, KnownApi>,
): { ok: true; limits: CheckedLimit[] } | { ok: false; errors: UserError[] } {
  if (inputs.length > MAX_LIMITS_PER_VERSION) {
    return { ok: false, errors: [tooManyLimits()] };
  }
  const limits: CheckedLimit[] = [];
  const errors: UserError[] = [];
  inputs.forEach((input, index) => {
    const checked = checkOne(input, ['limits', String(index)], apis);
    if (checked.ok) limits.push(checked.limit);
    else errors.push(...checked.errors);
  });
  errors.push(...findRepeatedNames(inputs), ...findCrowdedOperations(limits, apis));
  return errors.length === 0 ? { ok: true, limits } : { ok: false, errors };
}

/** The defaults that a version with these limits of its own does not have by name. */
export function missingDefaults(
  own: readonly CheckedLimit[],
  defaults: readonly Pick<CheckedLimit, 'policy' | 'apiId'>[],
): CheckedLimit[] {
  const names = new Set(own.map(({ policy }) => `${policy.api}/${policy.name}`));
  return defaults
    .filter(({ policy }) => !names.has(`${policy.api}/${policy.name}`))
    .map(({ policy, apiId }) => ({ policy, apiId, origin: LimitOrigin.DEFAULT }));
}

/**
 * What keeps a version's limits from being published although they could be saved; by paths as those of {@link checkDraft},
 * which hold the tier's own limits first. Defaults that a tier's own limits make useless, or the other way about, are no
 * reason: they are the same for all tiers.
 */
export function checkPublication(
  limits: readonly CheckedLimit[],
  apis: ReadonlyMap<string, KnownApi>,
): UserError[] {
  // An operation may have become dearer since, or may be gone.
  const unfit = limits.flatMap(({ policy, origin }, index) => {
    const api = apis.get(policy.api);
    const path = ['limits', String(index)];
    if (api === undefined) return [notFound([...path, 'apiKey'], `API "${policy.api}"`)];
    const problems = [
      ...findUnknownOperations(policy, api, path),
      ...findUnknownPool(policy, api, path),
      ...findUnaffordable(policy, api, path),
    ];
    if (origin === LimitOrigin.TIER) return problems;
    return problems.map(({ code, message }) =>
      userError(code, ['limits'], `Default limit "${policy.name}" of API "${policy.api}": ${message}`),
    );
  });
  const own = limits.filter(({ origin }) => origin === LimitOrigin.TIER).map(({ policy }) => policy);
  const unreached = findNeverReached(own).map(({ index, by }) =>
    invalid(['limits', String(index), 'limit'], neverReached(own[index] as LimitPolicy, by)),
  );
  const crowded = findCrowdedOperations(limits, apis);
  const tooMany = limits.length > MAX_LIMITS_PER_VERSION ? [tooManyLimits('with the defaults ')] : [];
  return [...unfit, ...unreached, ...crowded, ...tooMany];
}

/** Why a limit has no use beside `by`. */
export function neverReached({ name }: LimitPolicy, by: LimitPolicy): string {
  return `"${name}" can never be reached: "${by.name}" (${summarizeLimit(by)}) always refuses first. Lower it, or leave it out`;
}

const tooManyLimits = (how = '') =>
  invalid(['limits'], `A tier holds ${how}at most ${MAX_LIMITS_PER_VERSION} limits`);

function checkOne(
  input: LimitInput,
  path: string[],
  apis: ReadonlyMap<string, KnownApi>,
): { ok: true; limit: CheckedLimit } | { ok: false; errors: UserError[] } {
  const { draft, errors: shapeErrors } = toLimitDraft(input);
  const checked = checkLimitPolicy(draft);
  const errors = joinErrors(shapeErrors, checked.ok ? [] : checked.errors).map(({ field, message }) =>
    invalid([...path, ...inputPath(field)], message),
  );
  const api = apis.get(input.apiKey);
  if (api === undefined && apiKeySchema.safeParse(input.apiKey).success) {
    errors.push(notFound([...path, 'apiKey'], `API "${input.apiKey}"`));
  }
  if (checked.ok && api !== undefined) {
    errors.push(
      ...findUnknownOperations(checked.policy, api, path),
      ...findUnknownPool(checked.policy, api, path),
      ...findUnaffordable(checked.policy, api, path),
    );
  }
  if (!checked.ok || api === undefined || errors.length > 0) return { ok: false, errors };
  return { ok: true, limit: { policy: checked.policy, apiId: api.id, origin: LimitOrigin.TIER } };
}

/** What is missing or out of place is told once, in our words. */
function joinErrors(shape: FieldError[], policy: FieldError[]): FieldError[] {
  const told = new Set(shape.map(({ field }) => field));
  return [...shape, ...policy.filter(({ field }) => !told.has(field))];
}

export function findUnknownOperations(policy: LimitPolicy, api: KnownApi, path: string[]): UserError[] {
  const seen = new Set<string>();
  return policy.operations.flatMap((name, index) => {
    const field = [...path, 'operations', String(index)];
    if (seen.has(name)) return [invalid(field, `"${name}" is named twice`)];
    seen.add(name);
    return api.operations.has(name) ? [] : [notFound(field, `operation "${name}" in API "${policy.api}"`)];
  });
}

export function findUnknownPool(
  { throttle, api: key }: LimitPolicy,
  api: KnownApi,
  path: string[],
): UserError[] {
  if (throttle?.mode !== 'elastic' || api.pools.has(throttle.pool)) return [];
  return [notFound([...path, 'throttle', 'pool'], `pool "${throttle.pool}" in API "${key}"`)];
}

/** Where the most that passes at once is said; `limit` where there is no other place. */
const CAPACITY_FIELDS: Partial<Record<LimitPolicy['algorithm'], string>> = {
  gcra: 'burst',
  leaky_bucket: 'queue',
  token_bucket: 'capacity',
};

/** An operation that costs more than ever passes at once would always be refused. */
export function findUnaffordable(policy: LimitPolicy, api: KnownApi, path: string[]): UserError[] {
  const most = maxUnitsAtOnce(policy);
  if (most === undefined) return [];
  const covered = policy.operations.length === 0 ? api.operations.keys() : policy.operations;
  const dear = [...covered].find((name) => (api.operations.get(name) ?? 1) > most);
  if (dear === undefined) return [];
  const field = [...path, CAPACITY_FIELDS[policy.algorithm] ?? 'limit'];
  const cost = api.operations.get(dear);
  return [
    invalid(field, `Operation "${dear}" costs ${cost}; at most ${most} ever pass at once, so it never could`),
  ];
}

function findRepeatedNames(inputs: readonly LimitInput[]): UserError[] {
  const seen = new Set<string>();
  return inputs.flatMap((input, index) => {
    const name = JSON.stringify([input.apiKey, input.name]);
    if (seen.has(name)) {
      const message = `API "${input.apiKey}" has another limit of this name`;
      return [userError(UserErrorCode.TAKEN, ['limits', String(index), 'name'], message)];
    }
    seen.add(name);
    return [];
  });
}

/**
 * A request is decided in one step over all its limits, candidates included, so their number is bounded. One error per API:
 * a limit on all operations would give as many as there are.
 */
function findCrowdedOperations(
  limits: readonly CheckedLimit[],
  apis: ReadonlyMap<string, KnownApi>,
): UserError[] {
  return [...Map.groupBy(limits, (limit) => limit.policy.api)].flatMap(([key, ofApi]) => {
    for (const name of [...(apis.get(key)?.operations.keys() ?? []), undefined]) {
      const covering = ofApi.filter(({ policy }) => coversOperation(policy, name));
      const count = covering.length + covering.filter(({ policy }) => policy.candidate !== undefined).length;
      if (count <= MAX_LIMITS_PER_REQUEST) continue;
      const what = name === undefined ? 'an operation that nobody configured' : `operation "${name}"`;
      const message = `At most ${MAX_LIMITS_PER_REQUEST} limits, candidates included, may apply to one operation; ${what} of API "${key}" would have ${count}`;
      return [invalid(['limits'], message)];
    }
    return [];
  });
}

function inputPath(field: string): string[] {
  return field === '' ? [] : field.split('.').map((part) => (part === 'api' ? 'apiKey' : part));
}
