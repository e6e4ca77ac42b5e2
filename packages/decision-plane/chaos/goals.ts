import type { Goal } from './goal.ts';
import { exactWhenHealthy } from './r1-exact.ts';
import { neverHangs } from './r2-never-hangs.ts';
import { boundedInOutage } from './r3-bounded-outage.ts';
import { recoversOnce } from './r5-recovers.ts';
import { retryChargesOnce } from './r6-retry-once.ts';
import { allOrNothing } from './r7-all-or-nothing.ts';
import { clocksLie } from './r9-clocks-lie.ts';
import { endlessIds } from './r11-endless-ids.ts';
import { slotsHeal } from './r14-slots-heal.ts';
import { queuesKeepTheirWord } from './r15-queues.ts';

/** All goals in their order, each with how many seconds its measured stretches take, and whether it has a cluster form. */
export const GOALS: readonly { goal: Goal; seconds: number; cluster: boolean }[] = [
  { goal: exactWhenHealthy, seconds: 5, cluster: true },
  { goal: neverHangs, seconds: 3, cluster: false },
  { goal: boundedInOutage, seconds: 6, cluster: false },
  { goal: recoversOnce, seconds: 4, cluster: false },
  { goal: retryChargesOnce, seconds: 1, cluster: false },
  { goal: allOrNothing, seconds: 10, cluster: true },
  { goal: clocksLie, seconds: 1, cluster: false },
  { goal: endlessIds, seconds: 20, cluster: false },
  { goal: slotsHeal, seconds: 2, cluster: true },
  { goal: queuesKeepTheirWord, seconds: 3, cluster: false },
];
