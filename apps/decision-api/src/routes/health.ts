import { type ProblemCode, TollgateError } from '@tollgate/contracts';
import { BUILD } from '@tollgate/contracts/environment';
import { type DecisionPlane } from '@tollgate/decision-plane';
import { type Drain } from '../http/admission.js';
import { type Route, respondJson } from '../http/route.js';

export function healthRoute(): Route {
  return {
    method: 'GET',
    path: '/healthz',
    scope: null,
    handle: (_request, response) => respondJson(response, 200, { status: 'ok' }),
  };
}

export function versionRoute(): Route {
  return {
    method: 'GET',
    path: '/version',
    scope: null,
    handle: (_request, response) => respondJson(response, 200, BUILD),
  };
}

/** Whether a node is ready whose counters have not responded since its start. */
export const READY_WITHOUT_COUNTERS = ['never', 'restart', 'always'] as const;
export type ReadyWithoutCounters = (typeof READY_WITHOUT_COUNTERS)[number];

/** Other processes on the same port. */
interface Siblings {
  readonly areReady: boolean;
}

/**
 * Undefined: ready. A policy, even from disk, suffices. Counters that never responded suggest a wrong URL, unless the
 * node has decided before (`restart`: it has a policy on disk). A later outage of the counters does not matter. All processes
 * of a node must be ready, because each receives a part of its requests.
 */
export function readinessProblem(
  plane: Pick<DecisionPlane, 'ready' | 'counters' | 'startedFromDisk'>,
  drain: Pick<Drain, 'isDraining'>,
  withoutCounters: ReadyWithoutCounters,
  siblings: Siblings = { areReady: true },
): ProblemCode | undefined {
  if (drain.isDraining) return 'draining';
  if (!plane.ready) return 'not-ready';
  const needsCounters =
    withoutCounters === 'never' || (withoutCounters === 'restart' && !plane.startedFromDisk);
  if (needsCounters && plane.counters === 'never-reached') return 'counters-unreached';
  return siblings.areReady ? undefined : 'process-missing';
}

export function readyRoute(
  plane: DecisionPlane,
  drain: Drain,
  withoutCounters: ReadyWithoutCounters,
  siblings?: Siblings,
): Route {
  return {
    method: 'GET',
    path: '/readyz',
    scope: null,
    handle(_request, response) {
      const problem = readinessProblem(plane, drain, withoutCounters, siblings);
      if (problem !== undefined) throw new TollgateError(problem);
      const { revision, degraded, counters, policyAgeMs, policyStale } = plane;
      respondJson(response, 200, { status: 'ready', revision, degraded, counters, policyAgeMs, policyStale });
    },
  };
}
