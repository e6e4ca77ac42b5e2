import { badPolicyNeverLands } from './control-plane/bad-policy-is-rejected.ts';
import { databaseDown } from './control-plane/database-down.ts';
import { forgeriesAreRejected } from './control-plane/forgeries-are-rejected.ts';
import { diskFull } from './control-plane/full-disk.ts';
import { oneKeyIsOneEffect } from './control-plane/idempotent-requests.ts';
import { jobsAreDone } from './control-plane/jobs-are-done-once.ts';
import { nodesAgree } from './control-plane/nodes-agree.ts';
import { outboxLosesNothing } from './control-plane/outbox-loses-nothing.ts';
import { paidIsGranted } from './control-plane/paid-is-granted.ts';
import { rollbackUnderLoad } from './control-plane/rollback-keeps-usage.ts';
import { startsAlone } from './control-plane/starts-alone.ts';
import { tamperingIsFound } from './control-plane/tampering-is-found.ts';
import { usageIsNeverHigh } from './control-plane/usage-is-never-high.ts';
import { allOrNothing } from './decisions/all-or-nothing.ts';
import { boundedDuringOutage } from './decisions/bounded-outage.ts';
import { clocksLie } from './decisions/clocks-lie.ts';
import { keepsItsLedger } from './decisions/cluster-ledger.ts';
import { endlessIds } from './decisions/endless-identifiers.ts';
import { exactWhenHealthy } from './decisions/exact-when-healthy.ts';
import { exactWhenStarved } from './decisions/exact-when-starved.ts';
import { neverHangs } from './decisions/never-hangs.ts';
import { permitsHeal } from './decisions/permits-heal.ts';
import { queuesReturnCorrectWaits } from './decisions/queues-return-correct-waits.ts';
import { recoversOnce } from './decisions/recovers.ts';
import { retryChargesOnce } from './decisions/retry-charges-once.ts';
import type { Goal } from './goal.ts';

/** All goals in order, by folder. */
export const GOALS: Readonly<Record<string, readonly Goal[]>> = {
  decisions: [
    exactWhenHealthy,
    exactWhenStarved,
    neverHangs,
    boundedDuringOutage,
    keepsItsLedger,
    recoversOnce,
    retryChargesOnce,
    allOrNothing,
    clocksLie,
    endlessIds,
    permitsHeal,
    queuesReturnCorrectWaits,
  ],
  'control-plane': [
    paidIsGranted,
    forgeriesAreRejected,
    outboxLosesNothing,
    nodesAgree,
    badPolicyNeverLands,
    startsAlone,
    rollbackUnderLoad,
    oneKeyIsOneEffect,
    usageIsNeverHigh,
    jobsAreDone,
    databaseDown,
    diskFull,
    tamperingIsFound,
  ],
};
