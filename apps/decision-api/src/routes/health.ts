import { type Server } from 'node:http';
import { type ProblemCode, TollgateError } from '@tollgate/contracts';
import { type DecisionPlane } from '@tollgate/decision-plane';
import { respondJson } from '../http/respond.js';
import { type Route } from '../http/route-table.js';

export interface DrainOptions {
  /** While this is pending, readiness fails but requests are still served: whoever sends them needs time to notice. */
  notice: Promise<unknown>;
  /** After that, connections that still have something to finish get so long, ms. */
  finishMs: number;
}

/** The end of a door: first it says so, then it takes no more connections, then it waits for what is in work. */
export class Drain {
  private begun = false;

  /** Whether requests should go elsewhere from now on. */
  get isDraining(): boolean {
    return this.begun;
  }

  /** @returns once every request that was taken in is answered, or its time is over */
  async run(server: Server, { notice, finishMs }: DrainOptions): Promise<void> {
    this.begun = true;
    await notice;
    const force = setTimeout(() => server.closeAllConnections(), finishMs);
    await new Promise((resolve) => {
      server.close(resolve);
      server.closeIdleConnections();
    });
    clearTimeout(force);
  }
}

/** `GET /healthz`: the process lives. */
export function healthRoute(): Route {
  return {
    method: 'GET',
    path: '/healthz',
    scope: null,
    handle: (_request, response) => respondJson(response, 200, { status: 'ok' }),
  };
}

/** When a node is ready whose counters have not answered since its start; see {@link readinessProblem}. */
export const READY_WITHOUT_COUNTERS = ['never', 'restart', 'always'] as const;
export type ReadyWithoutCounters = (typeof READY_WITHOUT_COUNTERS)[number];

/**
 * Why a process should get no requests; undefined: it is ready. A policy is enough, from disk too. Counters that never answered
 * point to a wrong address, unless the node decided before (`restart`: it has a policy on disk). Once they have answered, an
 * outage leaves a node ready: it decides without them.
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

/** `GET /readyz`: {@link readinessProblem}, or 200 with the state of policy and counters. */
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
