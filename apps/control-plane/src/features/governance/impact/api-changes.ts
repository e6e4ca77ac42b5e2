import type { ApiRecord } from '@tollgate/contracts';
import { type Direction, either, moreIsLooser, moreIsTighter, UNCHANGED } from './direction.js';

/** Which way each API changes for those who have limits on it: by what its operations cost and what its pools hold. */
export function apiChanges(
  before: readonly ApiRecord[],
  after: readonly ApiRecord[],
): Map<string, Direction> {
  const old = new Map(before.map((api) => [api.key, api]));
  const next = new Map(after.map((api) => [api.key, api]));
  return new Map(
    [...new Set([...old.keys(), ...next.keys()])].map((key) => [key, apiChange(old.get(key), next.get(key))]),
  );
}

function apiChange(before: ApiRecord | undefined, after: ApiRecord | undefined): Direction {
  // Nobody has limits on an API that is new or gone.
  if (before === undefined || after === undefined) return UNCHANGED;
  const names = new Set([...before.operations, ...after.operations].map(({ name }) => name));
  return either([
    moreIsTighter(priceOf(before, undefined), priceOf(after, undefined)),
    ...[...names].map((name) => moreIsTighter(priceOf(before, name), priceOf(after, name))),
    ...poolChanges(before, after),
  ]);
}

const UNREGISTERED_PRICES = { count: 1, allow: 0, refuse: Number.POSITIVE_INFINITY } as const;

/** Cost of one call; an unregistered operation costs 1, 0, or more than any limit admits. */
function priceOf({ operations, unknownOperations }: ApiRecord, name: string | undefined): number {
  const known = operations.find((operation) => operation.name === name);
  return known?.cost ?? UNREGISTERED_PRICES[unknownOperations];
}

function poolChanges({ pools: before = [] }: ApiRecord, { pools: after = [] }: ApiRecord): Direction[] {
  const names = new Set([...before, ...after].map(({ name }) => name));
  return [...names].flatMap((name) => {
    const old = before.find((pool) => pool.name === name);
    const next = after.find((pool) => pool.name === name);
    // Without a pool nothing is held back for others, and nothing can be borrowed.
    return [
      moreIsLooser(old?.capacity ?? Number.POSITIVE_INFINITY, next?.capacity ?? Number.POSITIVE_INFINITY),
      moreIsLooser(old?.reclaimPercent ?? 0, next?.reclaimPercent ?? 0),
    ];
  });
}
