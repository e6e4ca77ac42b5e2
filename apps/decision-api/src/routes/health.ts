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

/**
 * Undefined: ready. A policy, even from disk, suffices. Counters that never responded suggest a wrong URL, unless the
 * node has decided before (`restart`: it has a policy on disk). A later outage of the counters does not matter.
 */
export function readinessProblem(
  plane: Pick<DecisionPlane, 'ready' | 'counters' | 'startedFromDisk'>,
  drain: Pick<Drain, 'isDraining'>,
  withoutCounters: ReadyWithoutCounters,
): ProblemCode | undefined {
  if (drain.isDraining) return 'draining';
  if (!plane.ready) return 'not-ready';
  if (plane.counters !== 'never-reached' || withoutCounters === 'always') return undefined;
  return withoutCounters === 'restart' && plane.startedFromDisk ? undefined : 'counters-unreached';
}

export function readyRoute(plane: DecisionPlane, drain: Drain, withoutCounters: ReadyWithoutCounters): Route {
  return {
    method: 'GET',
    path: '/readyz',
    scope: null,
    handle(_request, response) {
      const problem = readinessProblem(plane, drain, withoutCounters);
      if (problem !== undefined) throw new TollgateError(problem);
      const { revision, degraded, counters, policyAgeMs, policyStale } = plane;
      respondJson(response, 200, { status: 'ready', revision, degraded, counters, policyAgeMs, policyStale });
    },
  };
}
