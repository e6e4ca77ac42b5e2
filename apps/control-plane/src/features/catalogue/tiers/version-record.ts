import type { TierVersionRecord } from '@tollgate/contracts';
import type { CarryOver } from '../../../platform/prisma/schema.js';
import { type LimitRecord, policyOf } from './limit-record.js';

/** The rule by the name that nodes know it by. */
export function toRule(carryOver: CarryOver): Lowercase<CarryOver> {
  return carryOver.toLowerCase() as Lowercase<CarryOver>;
}

/** What a version's record is made of. */
export interface PublishedVersion {
  number: number;
  carryOver: CarryOver;
  publishedAt: Date;
  limits: LimitRecord[];
}

/**
 * A published version as nodes know it. Numbers of published versions have no gaps: each took the place of the one before it.
 * @param numbers of the versions that nodes are told of
 */
export function toVersionRecord(
  { number, limits, carryOver, publishedAt }: PublishedVersion,
  numbers: ReadonlySet<number>,
): TierVersionRecord {
  const defaults = limits.flatMap(({ origin }, index) => (origin === 'DEFAULT' ? [index] : []));
  return {
    number,
    limits: limits.map(policyOf),
    ...(defaults.length === 0 ? {} : { defaults }),
    ...(numbers.has(number - 1)
      ? { replaces: { number: number - 1, carryOver: toRule(carryOver), atMs: publishedAt.getTime() } }
      : {}),
  };
}
