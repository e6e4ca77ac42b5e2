import { type ProblemCode, TollgateError } from '@tollgate/contracts';
import { BUILD } from '@tollgate/contracts/environment';
import { type DecisionPlane } from '@tollgate/decision-plane';
import { type LagBound } from '@tollgate/logging';
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

/** Other processes on the same port. */
export interface SiblingReadiness {
  readonly areReady: boolean;
}

/**
 * Undefined: ready. A policy, even from disk, suffices. Counters that have not responded since the start may have a wrong
 * URL; a later outage does not matter. A process that has just started would shed its first requests. All processes of a node must be ready, because each receives a part of its requests.
 */
export function readinessProblem(
  plane: Pick<DecisionPlane, 'ready' | 'counters' | 'awaitsQuotas'>,
  drain: Pick<Drain, 'isDraining'>,
  withoutCounters: boolean,
  lag?: Pick<LagBound, 'isCalm'>,
  siblings: SiblingReadiness = { areReady: true },
): ProblemCode | undefined {
  if (drain.isDraining) return 'draining';
  if (!plane.ready) return 'not-ready';
  if (plane.counters !== 'never-reached') {
    if (plane.awaitsQuotas) return 'quotas-unrestored';
  } else if (!withoutCounters) return 'counters-unreached';
  if (lag?.isCalm === false) return 'overloaded';
  return siblings.areReady ? undefined : 'process-missing';
}

export function readyRoute(
  plane: DecisionPlane,
  drain: Drain,
  withoutCounters: boolean,
  lag?: LagBound,
  siblings?: SiblingReadiness,
): Route {
  return {
    method: 'GET',
    path: '/readyz',
    scope: null,
    handle(_request, response) {
      const problem = readinessProblem(plane, drain, withoutCounters, lag, siblings);
      if (problem !== undefined) throw new TollgateError(problem);
      const { revision, degraded, counters, policyAgeMs, policyStale, warnings } = plane;
      const state = { revision, degraded, counters, policyAgeMs, policyStale, warnings };
      respondJson(response, 200, { status: 'ready', ...state });
    },
  };
}
