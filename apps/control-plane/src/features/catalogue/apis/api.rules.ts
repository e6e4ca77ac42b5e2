import {
  DEFAULT_HEADER_STYLES,
  HEADER_STYLES,
  type LimitPolicy,
  type HeaderStyle as WireStyle,
} from '@tollgate/contracts';
import { compileLimit } from '@tollgate/decision-plane/internals';
import { notFound, userError } from '../../../platform/changes/outcome.js';
import { type UserError, UserErrorCode } from '../../../platform/graphql/user-error.graphql.js';
import { HeaderStyle } from '../../../platform/prisma/schema.js';
import { type LimitInForce } from './apis.repository.js';

/** As nodes and configurations write them: always in one order. */
export function toWireStyles(styles: readonly HeaderStyle[]): WireStyle[] {
  return HEADER_STYLES.filter((style) => styles.includes(fromWireStyle(style)));
}

/** As the database and GraphQL have them: always in one order. Left out: what an API has that says nothing else. */
export function fromWireStyles(styles: readonly WireStyle[] = DEFAULT_HEADER_STYLES): HeaderStyle[] {
  return HEADER_STYLES.filter((style) => styles.includes(style)).map(fromWireStyle);
}

/** Whether an API says nothing else. */
export function isDefaultStyles(styles: readonly HeaderStyle[]): boolean {
  return toWireStyles(styles).join() === DEFAULT_HEADER_STYLES.join();
}

function fromWireStyle(style: WireStyle): HeaderStyle {
  return style.toUpperCase().replace('-', '_') as HeaderStyle;
}

/**
 * The most units that a limit ever lets pass at once: an operation that costs more never could. Undefined where the cost
 * does not count: a slot is a slot.
 */
export function mostAtOnce(policy: LimitPolicy): number | undefined {
  const compiled = compileLimit(policy);
  if (!compiled.ok || policy.algorithm === 'concurrency') return undefined;
  return compiled.limit.policy.capacity + compiled.limit.policy.extra;
}

/** Whether a limit, or a pool, applies to an operation; `undefined` stands for one that nobody configured. */
export function coversOperation(
  { operations }: { readonly operations: readonly string[] },
  operation: string | undefined,
): boolean {
  return operations.length === 0 || (operation !== undefined && operations.includes(operation));
}

/** Limits in force that would never let an operation of this cost pass. */
export function findTooDear(operation: string, cost: number, limits: readonly LimitInForce[]): UserError[] {
  return limits.flatMap(({ tierKey, version, policy }) => {
    const most = coversOperation(policy, operation) ? mostAtOnce(policy) : undefined;
    if (most === undefined || cost <= most) return [];
    const message = `Limit "${policy.name}" of tier "${tierKey}", version ${version}, lets at most ${most} pass at once: "${operation}" never could`;
    return [userError(UserErrorCode.INVALID, ['cost'], message)];
  });
}

/** The most pools that one API may have. */
export const MAX_POOLS_PER_API = 16;

/** What of `operations` the API does not have, or names twice. */
export function findWrongOperations(
  operations: readonly string[],
  known: ReadonlySet<string>,
  apiKey: string,
): UserError[] {
  const seen = new Set<string>();
  return operations.flatMap((name, index) => {
    const field = ['operations', String(index)];
    if (seen.has(name)) return [userError(UserErrorCode.INVALID, field, `"${name}" is named twice`)];
    seen.add(name);
    return known.has(name) ? [] : [notFound(field, `operation "${name}" in API "${apiKey}"`)];
  });
}
