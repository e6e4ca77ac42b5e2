import { type Server } from 'node:http';
import { type ProblemCode, TollgateError } from '@tollgate/contracts';
import { type DecisionPlane } from '@tollgate/decision-plane';
import { respondJson } from '../http/respond.js';
import { type Route } from '../http/route-table.js';

export interface DrainOptions {
  /** Readiness fails but requests are served until this resolves, so that load balancers can react. */
  notice: Promise<unknown>;
  /** After that, the maximum time for open connections to finish, ms. */
  finishMs: number;
}

/** Graceful shutdown: fails readiness, stops accepting connections, then waits for open requests. */
export class Drain {
  private begun = false;

  /** Whether requests should go elsewhere from now on. */
  get isDraining(): boolean {
    return this.begun;
  }

  /** @returns when every open request was answered or `finishMs` has passed */
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

/** `GET /healthz`: the process is running. */
export function healthRoute(): Route {
  return {
    method: 'GET',
    path: '/healthz',
    scope: null,
    handle: (_request, response) => respondJson(response, 200, { status: 'ok' }),
  };
}

/** Readiness of a node whose counters have not responded since its start; see {@link readinessProblem}. */
export const READY_WITHOUT_COUNTERS = ['never', 'restart', 'always'] as const;
export type ReadyWithoutCounters = (typeof READY_WITHOUT_COUNTERS)[number];

/**
 * Returns why a process should receive no requests; undefined if it is ready. A policy, even from disk, is
 * sufficient. Counters that never responded suggest a wrong URL, unless the node has made decisions before
 * (`restart`: it has a policy on disk). After the first response, an outage of the counters does not affect
 * readiness.
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

/** `GET /readyz`: {@link readinessProblem}, or 200 with the status of policy and counters. */
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
