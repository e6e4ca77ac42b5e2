import type { LimitRequest } from '@tollgate/contracts';
import { failing, type Goal, type Measurement } from './goal.ts';
import { YARD_API } from './local-node.ts';
import { estimateError, type Recount, recount } from './oracle.ts';
import { ESTIMATE_RULES, EXACT_RULES, limitBy } from './rules.ts';
import { Yard } from './yard.ts';
import type { LoadReport, Outcome } from './yard-node.ts';

const LIMITS = [1, 7, 100, 10_000];
const HOUR_MS = 3_600_000;

/** Calls on one key at the same time. */
const BURST = 4000;

/** For the steady part: windows that come and go within it. */
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

/** Nothing more and nothing less than the limit passes while all is well. */
export const exactWhenHealthy: Goal = {
  id: 'R1',
  title: 'exact when healthy',
  passLine:
    'over-admission 0 and under-admission 0 for every exact algorithm; estimates print their worst error',
  async run(options, tell) {
    const { isolation, cluster } = options;
    // Four thousand at once are about correctness, not about 25 ms.
    const setup = { deadlineMs: 10_000, keysPerTenant: 1_000_000 };
    const yard = await Yard.open({ isolation, cluster, nodes: 4, clients: 2, limits: policies(), setup });
    try {
      await bursts(yard, Math.max(40, Math.round(BURST * options.scale)), tell);
      await steady(yard, options.seed, options.seconds, options.scale, tell);
    } finally {
      await yard.close();
    }
  },
};

async function bursts(yard: Yard, calls: number, tell: (measurement: Measurement) => void): Promise<void> {
  for (const [rule, make] of Object.entries(EXACT_RULES)) {
    const sum = { decisions: 0, admitted: 0, over: 0, under: 0 };
    let undecided = 0;
    for (const limit of LIMITS) {
      const request: LimitRequest = {
        tenant: 'acme',
        api: YARD_API,
        operation: burstName(rule, limit),
        subject: { user: 'u0' },
      };
      const each = Array.from({ length: Math.ceil(calls / yard.nodes.length) }, () => request);
      const outcomes = (await Promise.all(yard.nodes.map((node) => node.ask(each)))).flat();
      undecided += outcomes.filter(isUndecided).length;
      const { over, under, ...rest } = recount(make(limit, HOUR_MS), outcomes);
      sum.decisions += rest.decisions;
      sum.admitted += rest.admitted;
      sum.over += over;
      sum.under += under;
    }
    tell(exactly(`${rule}, ${calls} at once`, sum, undecided));
  }
}

async function steady(
  yard: Yard,
  seed: number,
  seconds: number,
  scale: number,
  tell: (measurement: Measurement) => void,
): Promise<void> {
  const rules = Object.entries({ ...EXACT_RULES, ...ESTIMATE_RULES });
  const mix = rules.flatMap(([rule]) =>
    // As many keys as can use up their limit: a limit that nobody reaches shows nothing.
    STEADY_LIMITS.map((limit) => ({
      operation: steadyName(rule, limit),
      users: Math.max(1, Math.round((STEADY_KEYS * scale) / limit / rules.length)),
      weight: limit === 100 ? 3 : 1,
    })),
  );
  const perSecond = (STEADY_PER_SECOND * Math.max(scale, 0.4)) / yard.nodes.length;
  const reports = await Promise.all(
    yard.nodes.map((node, i) =>
      node.load({ seed: seed + i, perSecond, ms: seconds * 1000, tenant: 'acme', mix, tell: 'all' }),
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
      tell(exactly(name, sum, undecided));
    } else {
      const numbers: Record<string, string> = {};
      for (const limit of STEADY_LIMITS) {
        const outcomes = byOperation.get(steadyName(rule, limit)) ?? [];
        const error = estimateError(limit, STEADY_WINDOW_MS * 1000, outcomes);
        numbers[`limit ${limit}`] =
          `+${error.worstOver} at most in a true window, ${error.wronglyRefused} of ${error.refused} refused wrongly`;
      }
      tell({ name, numbers, failures: [] });
    }
  }
}

function outcomesOf(reports: readonly LoadReport[]) {
  return reports.flatMap(({ outcomes }) => outcomes);
}

/** A refusal without the store is one that it has given before and that lasts. */
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
