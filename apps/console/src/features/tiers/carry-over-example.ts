import { nominalWindowMs } from '@tollgate/contracts';
import type { CarryOverExample } from '../../components/fields.js';
import type { LimitChange } from './limit-diff.js';

/** How much of the old limit the tenant of the example has used. */
const USED_PERCENT = 60;

/** Numbers to explain a carry-over rule by: those of the first limit that goes on counting the same with another number. */
export function carryOverExample(changes: readonly LimitChange[]): CarryOverExample | undefined {
  for (const { before, after } of changes) {
    if (!before || !after || before.algorithm !== after.algorithm || before.limit === after.limit) continue;
    if (nominalWindowMs(before) !== nominalWindowMs(after)) continue;
    return {
      used: Math.floor((before.limit * USED_PERCENT) / 100),
      before: before.limit,
      after: after.limit,
    };
  }
  return undefined;
}
