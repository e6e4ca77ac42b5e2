import type { UsageOutcome } from '../../generated/graphql.js';

const REFUSALS: readonly UsageOutcome[] = ['REFUSED', 'POOL_REFUSED', 'DEGRADED_REFUSED'];

/** Whether a decision ended with a refusal. */
export const isRefused = (outcome: UsageOutcome): boolean => REFUSALS.includes(outcome);
