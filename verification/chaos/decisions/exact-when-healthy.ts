import type { LimitRequest } from '@tollgate/contracts';
import { failing, type Goal, type Measurement } from '../goal.ts';
import { TESTBED_API } from './local-node.ts';
import { estimateError, type Recount, recount } from './oracle.ts';
import { ESTIMATE_RULES, EXACT_RULES, limitBy } from './rules.ts';
import { Testbed } from './testbed.ts';
import type { LoadReport, Outcome } from './testbed-node.ts';

const LIMITS = [1, 7, 100, 10_000];
const HOUR_MS = 3_600_000;

/** Concurrent calls on one key. */
const BURST = 4000;

/** Limits of the steady phase, with several windows in it. */
const STEADY_LIMITS = [1, 7, 100];
const STEADY_WINDOW_MS = 600;
const STEADY_KEYS = 200;
const STEADY_PER_SECOND = 5000;

const burstName = (rule: string, limit: number) => `${rule}-burst-${limit}`;
const steadyName = (rule: string, limit: number) => `${rule}-steady-${limit}`;

function policies() {
  const limits = [];
  for (const [rule, make] of Object.entries(EXACT_RULES)) {
    for (const limit of LIMITS) limits.push(limitBy(burstName(rule, limit), make(limit, HOUR_MS)));
  }
  for (const [rule, make] of Object.entries({ ...EXACT_RULES, ...ESTIMATE_RULES })) {
    for (const limit of STEADY_LIMITS)
      limits.push(limitBy(steadyName(rule, limit), make(limit, STEADY_WINDOW_MS)));
  }
  return limits;
}

/** Admits exactly the limit on a healthy system. */
export const exactWhenHealthy: Goal = {
  id: 'R1',
  title: 'exact when healthy',
  passLine:
    'over-admission 0 and under-admission 0 for every exact algorithm; estimates print their worst error',
  seconds: 5,
  cluster: true,
  async run(options, report) {
    const { isolation, cluster } = options;
    // A deadline beyond 25 ms, because four thousand concurrent calls test correctness, not latency.
    const setup = { deadlineMs: 10_000, keysPerTenant: 1_000_000 };
    const testbed = await Testbed.open({
      isolation,
      cluster,
      nodes: 4,
      clients: 2,
      limits: policies(),
      setup,
    });
    try {
      await bursts(testbed, Math.max(40, Math.round(BURST * options.scale)), report);
      await steady(testbed, options.seed, options.seconds, options.scale, report);
    } finally {
      await testbed.close();
    }
  },
};

async function bursts(
  testbed: Testbed,
  calls: number,
  report: (measurement: Measurement) => void,
): Promise<void> {
  for (const [rule, make] of Object.entries(EXACT_RULES)) {
    const sum = { decisions: 0, admitted: 0, over: 0, under: 0 };
    let undecided = 0;
    for (const limit of LIMITS) {
      const request: LimitRequest = {
        tenant: 'acme',
        api: TESTBED_API,
        operation: burstName(rule, limit),
        subject: { user: 'u0' },
      };
      const each = Array.from({ length: Math.ceil(calls / testbed.nodes.length) }, () => request);
      const outcomes = (await Promise.all(testbed.nodes.map((node) => node.ask(each)))).flat();
      undecided += outcomes.filter(isUndecided).length;
      const { over, under, ...rest } = recount(make(limit, HOUR_MS), outcomes);
      sum.decisions += rest.decisions;
      sum.admitted += rest.admitted;
      sum.over += over;
      sum.under += under;
    }
    report(exactly(`${rule}, ${calls} at once`, sum, undecided));
  }
}

async function steady(
  testbed: Testbed,
  seed: number,
  seconds: number,
  scale: number,
  report: (measurement: Measurement) => void,
): Promise<void> {
  const rules = Object.entries({ ...EXACT_RULES, ...ESTIMATE_RULES });
  const mix = rules.flatMap(([rule]) =>
    // As many keys as the load can exhaust: an unreached limit proves nothing.
    STEADY_LIMITS.map((limit) => ({
      operation: steadyName(rule, limit),
      users: Math.max(1, Math.round((STEADY_KEYS * scale) / limit / rules.length)),
      weight: limit === 100 ? 3 : 1,
    })),
  );
  const perSecond = (STEADY_PER_SECOND * Math.max(scale, 0.4)) / testbed.nodes.length;
  const reports = await Promise.all(
    testbed.nodes.map((node, i) =>
      node.load({ seed: seed + i, perSecond, ms: seconds * 1000, tenant: 'acme', mix, outcomes: 'all' }),
    ),
  );
  const byOperation = Map.groupBy(outcomesOf(reports), ({ key }) => key.split(' ', 1)[0] ?? '');
  for (const [rule, make] of rules) {
    const name = `${rule}, steady`;
    if (rule in EXACT_RULES) {
      const sum = { decisions: 0, admitted: 0, over: 0, under: 0 };
      let undecided = 0;
      for (const limit of STEADY_LIMITS) {
        const outcomes = byOperation.get(steadyName(rule, limit)) ?? [];
        undecided += outcomes.filter(isUndecided).length;
        const one = recount(make(limit, STEADY_WINDOW_MS), outcomes);
        for (const field of ['decisions', 'admitted', 'over', 'under'] as const) sum[field] += one[field];
      }
      report(exactly(name, sum, undecided));
    } else {
      const numbers: Record<string, string> = {};
      for (const limit of STEADY_LIMITS) {
        const outcomes = byOperation.get(steadyName(rule, limit)) ?? [];
        const error = estimateError(limit, STEADY_WINDOW_MS * 1000, outcomes);
        numbers[`limit ${limit}`] =
          `at most +${error.worstOver} in a true window, ${error.wronglyRefused} of ${error.refused} denied wrongly`;
      }
      report({ name, numbers, failures: [] });
    }
  }
}

function outcomesOf(reports: readonly LoadReport[]) {
  return reports.flatMap(({ outcomes }) => outcomes);
}

/** A denial without the store is a cached one that still applies. */
function isUndecided({ degraded, thrown }: Outcome): boolean {
  return degraded || thrown !== undefined;
}

function exactly(name: string, sum: Recount, undecided: number): Measurement {
  const failures = failing({
    'over-admission is not 0': sum.over === 0,
    'under-admission is not 0': sum.under === 0,
    'some were not decided by the store': undecided === 0,
  });
  return { name, numbers: { ...sum, undecided }, failures };
}
