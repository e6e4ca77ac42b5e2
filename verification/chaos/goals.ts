import { badPolicyNeverLands } from './control-plane/bad-policy-is-rejected.ts';
import { databaseDown } from './control-plane/database-down.ts';
import { forgeriesAreRejected } from './control-plane/forgeries-are-rejected.ts';
import { diskFull } from './control-plane/full-disk.ts';
import type { Goal } from './control-plane/goal.ts';
import { oneKeyIsOneEffect } from './control-plane/idempotent-requests.ts';
import { jobsAreDone } from './control-plane/jobs-are-done-once.ts';
import { nodesAgree } from './control-plane/nodes-agree.ts';
import { outboxLosesNothing } from './control-plane/outbox-loses-nothing.ts';
import { paidIsGranted } from './control-plane/paid-is-granted.ts';
import { rollbackUnderLoad } from './control-plane/rollback-keeps-usage.ts';
import { startsAlone } from './control-plane/starts-alone.ts';
import { tamperingIsFound } from './control-plane/tampering-is-found.ts';
import { usageIsNeverHigh } from './control-plane/usage-is-never-high.ts';

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
