import type { LimitPolicy } from '@tollgate/contracts';
import type { Check } from '../src/stores/decision-store.js';
import { compiled } from './policies.js';

let unique = 0;

/** A check of a counter that no other test uses. */
export function freshCheck(stored: LimitPolicy, cost = 1): Check {
  unique++;
  const { policy, keyStem } = compiled(stored);
  return { key: `{case-${process.pid}-${unique}}${keyStem}`, policy, cost };
}
