import { apiKeySchema, type LimitPolicy, MAX_LIMITS_PER_REQUEST, tierKeySchema } from '@tollgate/contracts';
import { checkLimitPolicy } from '@tollgate/decision-plane';
import * as z from 'zod';
import { notFound, userError } from '../../platform/changes/outcome.js';
import { description, displayName, optionalNote, orDefault } from '../../platform/changes/text.js';
import { type UserError, UserErrorCode } from '../../platform/graphql/user-error.graphql.js';
import type { LimitInput } from './tiers.graphql.js';

/** The most limits that one tier version may hold. */
export const MAX_LIMITS_PER_VERSION = 200;

export const tierCreateSchema = z.object({
  key: tierKeySchema,
  name: displayName,
  description,
  rank: orDefault(z.int().min(0, 'rank must be 0 or more').max(1_000_000, 'rank must be 1000000 or less'), 0),
  reason: optionalNote,
});

export const tierChangeSchema = z.object({
  tierKey: tierKeySchema,
  expectedVersion: z.int(),
  note: optionalNote,
  reason: optionalNote,
});

/** What an API knows of itself, as far as limits need it. */
export interface KnownApi {
  id: string;
  operations: ReadonlySet<string>;
}

/** A checked limit and the API row that it belongs to. */
export interface CheckedLimit {
  policy: LimitPolicy;
  apiId: string;
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
    return {
      ok: false,
      errors: [invalid(['limits'], `A tier holds at most ${MAX_LIMITS_PER_VERSION} limits`)],
    };
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

function checkOne(
  input: LimitInput,
  path: string[],
  apis: ReadonlyMap<string, KnownApi>,
): { ok: true; limit: CheckedLimit } | { ok: false; errors: UserError[] } {
  const errors = findMisplacedFields(input, path);
  const checked = checkLimitPolicy(toPolicy(input));
  if (!checked.ok) {
    for (const { field, message } of checked.errors)
      errors.push(invalid([...path, ...inputPath(field)], message));
  }
  const api = apis.get(input.apiKey);
  if (api === undefined && apiKeySchema.safeParse(input.apiKey).success) {
    errors.push(notFound([...path, 'apiKey'], `API "${input.apiKey}"`));
  }
  if (checked.ok && api !== undefined) errors.push(...findUnknownOperations(checked.policy, api, path));
  if (!checked.ok || api === undefined || errors.length > 0) return { ok: false, errors };
  return { ok: true, limit: { policy: checked.policy, apiId: api.id } };
}

/** What was left out gets its default here; what does not belong is reported by `findMisplacedFields`. */
function toPolicy(input: LimitInput): Record<string, unknown> {
  const { apiKey, algorithm, burst, alignment, onUnavailable, name, operations, per, limit, windowMs } =
    input;
  const common = { name, operations, per, limit, windowMs, api: apiKey };
  const policy = { ...common, onUnavailable: (onUnavailable ?? 'SHARE').toLowerCase() };
  return algorithm === 'GCRA'
    ? { ...policy, algorithm: 'gcra', burst: burst ?? 0 }
    : { ...policy, algorithm: 'fixed_window', alignment: (alignment ?? 'CLOCK').toLowerCase() };
}

function findMisplacedFields(input: LimitInput, path: string[]): UserError[] {
  if (input.algorithm === 'FIXED_WINDOW' && input.burst != null) {
    return [invalid([...path, 'burst'], 'A fixed window has no burst; leave it out, or use GCRA')];
  }
  if (input.algorithm === 'GCRA' && input.alignment != null) {
    return [invalid([...path, 'alignment'], 'GCRA has no windows to align; leave it out')];
  }
  return [];
}

function findUnknownOperations(policy: LimitPolicy, api: KnownApi, path: string[]): UserError[] {
  const seen = new Set<string>();
  return policy.operations.flatMap((name, index) => {
    const field = [...path, 'operations', String(index)];
    if (seen.has(name)) return [invalid(field, `"${name}" is named twice`)];
    seen.add(name);
    return api.operations.has(name) ? [] : [notFound(field, `operation "${name}" in API "${policy.api}"`)];
  });
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

/** A request is decided in one step over all its limits, so their number is bounded. */
function findCrowdedOperations(limits: CheckedLimit[], apis: ReadonlyMap<string, KnownApi>): UserError[] {
  const byApi = Map.groupBy(limits, (limit) => limit.policy.api);
  return [...byApi].flatMap(([key, ofApi]) => {
    const names = [...(apis.get(key)?.operations ?? []), undefined];
    const crowded = names.some((name) => ofApi.filter(covers(name)).length > MAX_LIMITS_PER_REQUEST);
    const message = `At most ${MAX_LIMITS_PER_REQUEST} limits may apply to one operation of "${key}"`;
    return crowded ? [invalid(['limits'], message)] : [];
  });
}

/** `undefined` stands for an operation that nobody configured. */
function covers(operation: string | undefined): (limit: CheckedLimit) => boolean {
  return ({ policy }) =>
    policy.operations.length === 0 || (operation !== undefined && policy.operations.includes(operation));
}

function inputPath(field: string): string[] {
  return field === '' ? [] : field.split('.').map((part) => (part === 'api' ? 'apiKey' : part));
}

function invalid(field: string[], message: string): UserError {
  return userError(UserErrorCode.INVALID, field, message);
}
