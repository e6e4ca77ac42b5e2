import { recount } from '../recount/recount.js';
import type { Replay, ReplayEnd, ReplayOptions } from './replay.js';

const TOP_CLIENTS = 10;

/** Printed by `--json`. Times in ms. */
export type ReplayReport = ReturnType<typeof buildReport>;

export interface ReplayFacts {
  file: string;
  end: ReplayEnd;
  tookMs: number;
  clockToleranceMs: number;
}

export function buildReport(replay: Replay, options: ReplayOptions, facts: ReplayFacts) {
  const { tally, charges, limits } = replay;
  const { lines, requests, allowed, denied, degraded, unlimited, latencyUs } = tally;
  // A percentile is the end of its bucket, which may lie above the largest value.
  const percentileMs = (percentile: number) =>
    Math.min(latencyUs.getValueAtPercentile(percentile), latencyUs.maxValue) / 1000;
  return {
    file: facts.file,
    tenant: options.tenant,
    api: options.api,
    end: facts.end.kind,
    tookMs: Math.round(facts.tookMs),
    lines,
    requests,
    allowed,
    denied,
    /** Allowed or denied without the shared counters. */
    degraded,
    /** Allowed because no limit applies. */
    unlimited,
    errors: [...tally.failures].map(([kind, failure]) => ({ kind, ...failure })).sort(descending('count')),
    malformed: { count: tally.malformed, examples: tally.malformedLines },
    deniedByLimit: [...tally.byLimit].map(([limit, n]) => ({ limit, denied: n })).sort(descending('denied')),
    byOperation: [...tally.byOperation]
      .map(([operation, n]) => ({ operation, ...n }))
      .sort(descending('requests')),
    mostLimitedClients: [...tally.byClient]
      .map(([client, n]) => ({ client, ...n }))
      .filter((client) => client.denied > 0)
      .sort(descending('denied'))
      .slice(0, TOP_CLIENTS),
    latencyMs:
      tally.answered === 0
        ? null
        : {
            p50: percentileMs(50),
            p99: percentileMs(99),
            max: percentileMs(100),
          },
    /** Null: flat out. */
    worstLagMs: options.speed === undefined ? null : Math.round(replay.worstLagMs),
    /** More than one: limits were published during the replay. */
    revisions: [...tally.revisions].sort((a, b) => a - b),
    recount: recount(charges, limits, facts.clockToleranceMs),
  };
}

export function isWithinLimits({ recount: { overAdmitted, contradictions } }: ReplayReport): boolean {
  return overAdmitted === 0 && contradictions === 0;
}

function descending<K extends string>(by: K): (a: Record<K, number>, b: Record<K, number>) => number {
  return (a, b) => b[by] - a[by];
}
