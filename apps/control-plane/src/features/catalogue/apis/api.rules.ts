import {
  DEFAULT_HEADER_STYLES,
  HEADER_STYLES,
  isBlocking,
  type LimitPolicy,
  type HeaderStyle as WireStyle,
} from '@tollgate/contracts';
import { compileLimit } from '@tollgate/limiter/rules';
import { invalid, notFound } from '../../../platform/changes/outcome.js';
import type { UserError } from '../../../platform/graphql/mutation.graphql.js';
import type { HeaderStyle } from '../../../platform/prisma/schema.js';
import type { LiveLimit } from './apis.repository.js';

export const MAX_POOLS_PER_API = 16;

/** Header styles as nodes and configuration files write them, in a fixed order. */
export function toWireStyles(styles: readonly HeaderStyle[]): WireStyle[] {
  return HEADER_STYLES.filter((style) => styles.includes(fromWireStyle(style)));
}

/** Header styles as GraphQL and the database write them, in a fixed order. */
export function fromWireStyles(styles: readonly WireStyle[] = DEFAULT_HEADER_STYLES): HeaderStyle[] {
  return HEADER_STYLES.filter((style) => styles.includes(style)).map(fromWireStyle);
}

export function isDefaultStyles(styles: readonly HeaderStyle[]): boolean {
  return toWireStyles(styles).join() === DEFAULT_HEADER_STYLES.join();
}

function fromWireStyle(style: WireStyle): HeaderStyle {
  return style.toUpperCase().replace('-', '_') as HeaderStyle;
}

/**
 * The most units that a limit admits at once; it denies every request that costs more. Undefined for concurrency limits,
 * where every request takes one slot, and for limits that block.
 */
export function maxUnitsAtOnce(policy: LimitPolicy): number | undefined {
  const compiled = compileLimit(policy);
  if (!compiled.ok || policy.algorithm === 'concurrency' || isBlocking(policy)) return undefined;
  return compiled.limit.policy.capacity + compiled.limit.policy.extra;
}

/** Whether a limit or pool applies to an operation. @param operation undefined for an unregistered operation */
export function coversOperation(
  { operations }: { readonly operations: readonly string[] },
  operation: string | undefined,
): boolean {
  return operations.length === 0 || (operation !== undefined && operations.includes(operation));
}

/** One error per limit that would deny every request for an operation of this cost. */
export function findCostProblems(operation: string, cost: number, limits: readonly LiveLimit[]): UserError[] {
  return limits.flatMap(({ tierKey, version, policy }) => {
    const max = coversOperation(policy, operation) ? maxUnitsAtOnce(policy) : undefined;
    if (max === undefined || cost <= max) return [];
    const message = `Limit "${policy.name}" of tier "${tierKey}", version ${version}, admits at most ${max} units at once: it would deny every "${operation}" request`;
    return [invalid(['cost'], message)];
  });
}

/** One error per operation that the API does not have or that is listed twice. */
export function findOperationProblems(
  operations: readonly string[],
  known: ReadonlySet<string>,
  apiKey: string,
): UserError[] {
  const seen = new Set<string>();
  return operations.flatMap((name, index) => {
    const field = ['operations', String(index)];
    if (seen.has(name)) return [invalid(field, `"${name}" is named twice`)];
    seen.add(name);
    return known.has(name) ? [] : [notFound(field, `operation "${name}" in API "${apiKey}"`)];
  });
}
