import {
  apiKeySchema,
  coversApi,
  EVERY_API,
  type FieldError,
  type LimitPolicy,
  MAX_LIMITS_PER_REQUEST,
  MAX_WARM_UP_LIMITS,
  packedHashes,
  packedSubjects,
  reachOf,
  shareAnApi,
  summarizeLimit,
} from '@tollgate/contracts';
import { checkLimitPolicy } from '@tollgate/policy';
import { invalid, notFound, userError } from '../../../platform/changes/outcome.js';
import { type UserError, UserErrorCode } from '../../../platform/graphql/mutation.graphql.js';
import { LimitOrigin } from '../../../platform/prisma/schema.js';
import { coversOperation, maxUnitsAtOnce } from '../apis/api.rules.js';
import { type LimitInput, toLimitDraft } from './limit.inputs.js';
import type { KnownStorage } from './limit-storage.repository.js';
import { findUnreachable, type UnreachableLimit } from './unreachable-limits.js';

/** The most limits that one tier version may hold. */
export const MAX_LIMITS_PER_VERSION = 200;

/** The parts of an API that limits refer to. */
export interface KnownApi {
  id: string;
  /** The cost of each operation by name. */
  operations: ReadonlyMap<string, number>;
  /** Oldest first. */
  pools: ReadonlyMap<string, { operations: readonly string[]; capacity: number }>;
}

export interface CheckedLimit {
  policy: LimitPolicy;
  apiId: string;
  origin: LimitOrigin;
}

/**
 * Checks the limits of a draft: each one, their references to APIs, operations and pools, and all of them together.
 * Errors have paths such as `["limits", "2", "windowMs"]`.
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
  errors.push(
    ...findRepeatedNames(inputs),
    ...findSharedNames(limits),
    ...findTooManyPerOperation(limits, apis),
  );
  return errors.length === 0 ? { ok: true, limits } : { ok: false, errors };
}

/** The default limits that a version does not replace with a limit of the same name. */
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
 * Checks limits that were saved before they are published; paths are those of {@link checkDraft}, with the tier's own limits
 * first. A default limit that is never reached next to the tier's own limits, or makes one unreachable, is no error: all
 * tiers share it. Nor is a limit that some tenants may reach; both are warnings of the lint.
 */
export function checkPublication(
  limits: readonly CheckedLimit[],
  apis: ReadonlyMap<string, KnownApi>,
): UserError[] {
  // Operations may have become more expensive or been deleted since.
  const unfit = limits.flatMap(({ policy, origin }, index) => {
    const api = apis.get(policy.api);
    const path = ['limits', String(index)];
    if (api === undefined) return [notFound([...path, 'apiKey'], `API "${policy.api}"`)];
    const problems = [
      ...findUnknownOperations(policy, api, path),
      ...findUnknownPool(policy, api, path),
      ...findUnknownApis(policy, apis, path),
      ...findCostProblems(policy, apis, path),
    ];
    if (origin === LimitOrigin.TIER) return problems;
    return problems.map(({ code, message }) =>
      userError(code, ['limits'], `Default limit "${policy.name}" of API "${policy.api}": ${message}`),
    );
  });
  const own = limits.filter(({ origin }) => origin === LimitOrigin.TIER).map(({ policy }) => policy);
  const unreached = findUnreachable(own)
    .filter(({ unless }) => unless === undefined)
    .map((found) =>
      invalid(
        ['limits', String(found.index), 'limit'],
        describeUnreachable(own[found.index] as LimitPolicy, found),
      ),
    );
  const tooManyPerOperation = findTooManyPerOperation(limits, apis);
  const tooMany = limits.length > MAX_LIMITS_PER_VERSION ? [tooManyLimits(', default limits included')] : [];
  return [
    ...unfit,
    ...unreached,
    ...findSharedNames(limits),
    ...tooManyPerOperation,
    ...tooMany,
    ...findWarmUpConflicts(limits),
  ];
}

/** Ramps of equal length change all limits at the same times: fewer states of a tenant. */
function findWarmUpConflicts(limits: readonly CheckedLimit[]): UserError[] {
  const lengths = limits.flatMap(({ policy }) => policy.warmUp?.ms ?? []);
  const errors: UserError[] = [];
  const report = (message: string) => errors.push(invalid(['limits'], message));
  if (lengths.length > MAX_WARM_UP_LIMITS) {
    report(
      `At most ${MAX_WARM_UP_LIMITS} limits of a tier, default limits included, may warm up; this one has ${lengths.length}`,
    );
  }
  if (new Set(lengths).size > 1)
    report('All limits of a tier that warm up, default limits included, need the same warmUp.ms');
  return errors;
}

/** The message for an unreachable limit. */
export function describeUnreachable({ name }: LimitPolicy, { by, unless }: UnreachableLimit): string {
  const first = `"${by.name}" (${summarizeLimit(by)})`;
  return unless === undefined
    ? `"${name}" can never be reached: ${first} always denies first. Lower or remove it`
    : `"${name}" is not reached unless ${unless}: ${first} denies first. Lower or remove it`;
}

const tooManyLimits = (counted = '') =>
  invalid(['limits'], `A tier has at most ${MAX_LIMITS_PER_VERSION} limits${counted}`);

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
      ...findUnknownApis(checked.policy, apis, path),
      ...findCostProblems(checked.policy, apis, path),
    );
  }
  if (!checked.ok || api === undefined || errors.length > 0) return { ok: false, errors };
  return { ok: true, limit: { policy: checked.policy, apiId: api.id, origin: LimitOrigin.TIER } };
}

/** The errors of shape, and the policy errors of other fields. */
function joinErrors(shape: FieldError[], policy: FieldError[]): FieldError[] {
  const reported = new Set(shape.map(({ field }) => field));
  return [...shape, ...policy.filter(({ field }) => !reported.has(field))];
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

/** The field that sets how much is admitted at once; `limit` for the other algorithms. */
const CAPACITY_FIELDS: Partial<Record<LimitPolicy['algorithm'], string>> = {
  gcra: 'burst',
  leaky_bucket: 'queue',
  token_bucket: 'capacity',
};

/** A limit denies every request for an operation that costs more than it admits at once. */
export function findCostProblems(
  policy: LimitPolicy,
  apis: ReadonlyMap<string, KnownApi>,
  path: string[],
): UserError[] {
  const max = maxUnitsAtOnce(policy);
  if (max === undefined) return [];
  const covered = [...apis].filter(([key]) => coversApi(policy, key));
  for (const [, { operations }] of covered) {
    const names = policy.operations.length === 0 ? operations.keys() : policy.operations;
    const expensive = [...names].find((name) => (operations.get(name) ?? 1) > max);
    if (expensive === undefined) continue;
    const field = [...path, CAPACITY_FIELDS[policy.algorithm] ?? 'limit'];
    const cost = operations.get(expensive);
    const message = `Operation "${expensive}" costs ${cost}; at most ${max} units are admitted at once, so every request would be denied`;
    return [invalid(field, message)];
  }
  return [];
}

/** Further APIs of the limit that do not exist. */
export function findUnknownApis(
  { alsoApis = [] }: LimitPolicy,
  apis: ReadonlyMap<string, KnownApi>,
  path: string[],
): UserError[] {
  return alsoApis.flatMap((key, index) =>
    key === EVERY_API || apis.has(key)
      ? []
      : [notFound([...path, 'alsoApis', String(index)], `API "${key}"`)],
  );
}

/** Answers and headers name limits, so the limits of one API need different names; equal homes are checked before. */
function findSharedNames(limits: readonly CheckedLimit[]): UserError[] {
  return limits.flatMap(({ policy, origin }, index) => {
    if (policy.alsoApis === undefined) return [];
    const other = limits.find(
      ({ policy: { api, name, alsoApis } }) =>
        name === policy.name && api !== policy.api && shareAnApi(policy, { api, alsoApis }),
    );
    if (other === undefined) return [];
    const message = `API "${other.policy.api}" has another limit named "${policy.name}". Rename one of them`;
    const path = origin === LimitOrigin.TIER ? ['limits', String(index), 'name'] : ['limits'];
    return [userError(UserErrorCode.TAKEN, path, message)];
  });
}

/**
 * Limits of one API and name have one storage for good: a tenant that changes tiers keeps its counters, and a counter
 * with another storage would start at zero.
 */
export function findStorageChanges(
  limits: readonly CheckedLimit[],
  known: readonly KnownStorage[],
): UserError[] {
  const byName = Map.groupBy(known, ({ apiKey, name }) => `${apiKey}/${name}`);
  return limits.flatMap(({ policy, origin }, index) => {
    for (const other of byName.get(`${policy.api}/${policy.name}`) ?? []) {
      const change = describeStorageChange(policy, other);
      if (change === undefined) continue;
      const path = origin === LimitOrigin.TIER ? ['limits', String(index), change.field] : ['limits'];
      return [invalid(path, change.message)];
    }
    return [];
  });
}

function describeStorageChange(
  { api, name, storage = 'key', expectedSubjects = 0 }: LimitPolicy,
  other: KnownStorage,
): { field: string; message: string } | undefined {
  const where =
    other.tierKey === null ? 'default limits' : `version ${other.version} of tier "${other.tierKey}"`;
  const limit = `Limit "${name}" of API "${api}"`;
  if (storage !== other.storage)
    return {
      field: 'storage',
      message: `${limit} has storage ${other.storage} in ${where}, which cannot change to ${storage}. Create a limit with another name.`,
    };
  const subjects = other.expectedSubjects ?? 0;
  if (storage !== 'packed' || packedHashes(expectedSubjects) === packedHashes(subjects)) return undefined;
  const { min, max } = packedSubjects(subjects);
  return {
    field: 'expectedSubjects',
    message: `${limit} is packed for ${subjects} expected subjects in ${where}, which cannot change to ${expectedSubjects}. Choose ${min} to ${max}, or create a limit with another name.`,
  };
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
 * Bounds the limits of one operation, candidates included: a request is decided in one step over all of them. Reports one
 * error per API.
 */
function findTooManyPerOperation(
  limits: readonly CheckedLimit[],
  apis: ReadonlyMap<string, KnownApi>,
): UserError[] {
  const keys = new Set(limits.flatMap(({ policy }) => reachOf(policy)));
  return [...keys].flatMap((key) => {
    const ofApi = limits.filter(({ policy }) => coversApi(policy, key));
    for (const name of [...(apis.get(key)?.operations.keys() ?? []), undefined]) {
      const covering = ofApi.filter(({ policy }) => coversOperation(policy, name));
      const count = covering.length + covering.filter(({ policy }) => policy.candidate !== undefined).length;
      if (count <= MAX_LIMITS_PER_REQUEST) continue;
      const operation = name === undefined ? 'an unregistered operation' : `operation "${name}"`;
      const message = `At most ${MAX_LIMITS_PER_REQUEST} limits, candidates included, may apply to one operation; ${operation} of API "${key}" would have ${count}`;
      return [invalid(['limits'], message)];
    }
    return [];
  });
}

function inputPath(field: string): string[] {
  return field === '' ? [] : field.split('.').map((part) => (part === 'api' ? 'apiKey' : part));
}
