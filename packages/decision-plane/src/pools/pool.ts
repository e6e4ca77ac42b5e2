import type { PoolRecord, Priority } from '@tollgate/contracts';

/** An API's pool as nodes hold it. Units are those of costs; capacity is counted over a sliding second. */
export interface Pool {
  /** Where nodes meet in Redis: `{pool:<api>:<name>}`. Tenant keys hold no `:`, so no counter shares its slot tag. */
  readonly key: string;
  readonly capacity: number;
  /** Below this part of the capacity, percent, what own traffic leaves may be borrowed. */
  readonly reclaimPercent: number;
}

/** A number for each priority, from the one that is refused last to the one that is refused first. */
export type ByPriority = readonly [critical: number, normal: number, background: number];

/** Where a priority stands in every {@link ByPriority}. */
export const RANK: Readonly<Record<Priority, 0 | 1 | 2>> = { critical: 0, normal: 1, background: 2 };

/** The pool `record` of `api`, for {@link PoolBook}. */
export function compilePool(api: string, record: PoolRecord): Pool {
  const { name, capacity, reclaimPercent } = record;
  return { key: `{pool:${api}:${name}}`, capacity, reclaimPercent };
}

/** All three together. */
export function sumOf([critical, normal, background]: ByPriority): number {
  return critical + normal + background;
}
