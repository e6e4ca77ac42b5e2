import { paidIsGranted } from './c1-paid-granted.ts';
import { forgeriesAreRejected } from './c2-forgeries.ts';
import { outboxLosesNothing } from './c4-outbox.ts';
import { nodesAgree } from './c5-nodes-agree.ts';
import { badPolicyNeverLands } from './c6-bad-policy.ts';
import { startsAlone } from './c7-starts-alone.ts';
import { rollbackUnderLoad } from './c9-rollback.ts';
import { oneKeyIsOneEffect } from './c10-idempotency.ts';
import { usageIsNeverHigh } from './c11-usage.ts';
import { jobsAreDone } from './c12-jobs.ts';
import { databaseDown } from './c14-database.ts';
import { diskFull } from './c14-full-disk.ts';
import type { Goal } from './goal.ts';
import { tamperingIsFound } from './s10-audit.ts';

/** All goals in order, with the defaults of `pnpm chaos:control`. */
export const GOALS: readonly { goal: Goal; scale: number; seconds: number }[] = [
  { goal: paidIsGranted, scale: 1, seconds: 1 },
  { goal: forgeriesAreRejected, scale: 1, seconds: 1 },
  { goal: outboxLosesNothing, scale: 0.2, seconds: 1 },
  { goal: nodesAgree, scale: 0.2, seconds: 1 },
  { goal: badPolicyNeverLands, scale: 1, seconds: 1 },
  { goal: startsAlone, scale: 1, seconds: 1 },
  { goal: rollbackUnderLoad, scale: 0.2, seconds: 1 },
  { goal: oneKeyIsOneEffect, scale: 1, seconds: 1 },
  { goal: usageIsNeverHigh, scale: 1, seconds: 1 },
  { goal: jobsAreDone, scale: 0.2, seconds: 1 },
  { goal: databaseDown, scale: 1, seconds: 1 },
  { goal: diskFull, scale: 1, seconds: 1 },
  { goal: tamperingIsFound, scale: 1, seconds: 1 },
];
