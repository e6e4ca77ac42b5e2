import type { LimitRequest } from '@tollgate/contracts';
import { Redis } from 'ioredis';
import { failing, type Goal, type Measurement } from '../goal.ts';
import { TESTBED_API } from './local-node.ts';
import { EXACT_RULES, limitBy } from './rules.ts';
import { Testbed } from './testbed.ts';
import type { Outcome } from './testbed-node.ts';

const LIMIT = 50;
const CALLERS = 200;
const ROUNDS = 100;
const HOUR_MS = 3_600_000;

/** Parts of a CPU that each node gets, in steps. */
const SHARES = [1, 0.5, 0.25, 0.1, 0.05];

/** A slower reply to a process that has its CPU may be a late one of Redis, not of a node. */
const IN_TIME_MS = 10;

/** Length of a cycle, ms: shorter than a decision's deadline, as with a scheduler. */
const CYCLE_MS = 20;

interface Step {
  rounds: number;
  /** Rounds in which Redis replied late. */
  excluded: number;
  over: number;
  under: number;
  degraded: number;
  /** Answered with 503. */
  shed: number;
}

/**
 * Admits exactly the limit while the nodes lack CPU: Redis replies in time, the nodes read the replies late. Needs nodes in
 * processes.
 */
export const exactWhenStarved: Goal = {
  id: 'R1-CPU',
  title: 'exact while the nodes lack CPU',
  passLine: `${CALLERS} callers over two nodes, strict limits of ${LIMIT}: over-admission 0 and no degraded decision while Redis answers, at 100 to 5 % of a CPU`,
  async run({ isolation, scale }, report) {
    const limits = Object.entries(EXACT_RULES).map(([rule, make]) => limitBy(rule, make(LIMIT, HOUR_MS)));
    const testbed = await Testbed.open({ isolation, nodes: 2, limits });
    try {
      await testbed.nodesKnown(2);
      const pids = testbed.nodes.flatMap(({ pid }) => pid ?? []);
      const rounds = Math.max(1, Math.round((ROUNDS * scale) / SHARES.length));
      for (const share of SHARES) {
        const end = starve(pids, share);
        try {
          report(measurementOf(share, await step(testbed, share, rounds)));
        } finally {
          end();
        }
      }
    } finally {
      await testbed.close();
    }
  },
};

async function step(testbed: Testbed, share: number, rounds: number): Promise<Step> {
  const sum = { rounds, excluded: 0, over: 0, under: 0, degraded: 0, shed: 0 };
  const rules = Object.keys(EXACT_RULES);
  for (let round = 0; round < rounds; round++) {
    const request: LimitRequest = {
      tenant: 'acme',
      api: TESTBED_API,
      operation: rules[round % rules.length] ?? '',
      subject: { user: `u${share}-${round}` },
    };
    const each = Array.from({ length: CALLERS / testbed.nodes.length }, () => request);
    const { outcomes, slowestMs } = await whileMeasured(testbed, () =>
      Promise.all(testbed.nodes.map((node) => node.ask(each))),
    );
    if (slowestMs > IN_TIME_MS) {
      sum.excluded++;
      continue;
    }
    const admitted = outcomes.filter(({ success }) => success).length;
    const degraded = outcomes.filter((outcome) => outcome.degraded).length;
    const shed = outcomes.filter(({ thrown }) => thrown !== undefined).length;
    sum.over += Math.max(0, admitted - LIMIT);
    // A request without the store may be denied where the store would have allowed it.
    if (degraded + shed === 0) sum.under += Math.max(0, LIMIT - admitted);
    sum.degraded += degraded;
    sum.shed += shed;
  }
  return sum;
}

/** Also measures the slowest reply of Redis to this process, which has its CPU. */
async function whileMeasured(testbed: Testbed, ask: () => Promise<Outcome[][]>) {
  const redis = new Redis(testbed.counters.url);
  let [slowestMs, isDone] = [0, false];
  const measure = async () => {
    while (!isDone) {
      const sentMs = performance.now();
      await redis.ping();
      slowestMs = Math.max(slowestMs, performance.now() - sentMs);
    }
  };
  await redis.ping();
  const measuring = measure();
  const outcomes = (await ask()).flat();
  isDone = true;
  await measuring;
  redis.disconnect();
  return { outcomes, slowestMs };
}

function measurementOf(share: number, step: Step): Measurement {
  const failures = failing({
    'over-admission is not 0': step.over === 0,
    'under-admission is not 0': step.under === 0,
    'decisions were degraded': step.degraded === 0,
  });
  return { name: `${share * 100} % of a CPU`, numbers: { ...step }, failures };
}

/** Stops and continues processes in turns, so that they get about `share` of a CPU: the method of cpulimit. @returns a function that ends it */
export function starve(pids: readonly number[], share: number): () => void {
  const signal = (name: NodeJS.Signals) => {
    for (const pid of pids) process.kill(pid, name);
  };
  let timer: NodeJS.Timeout | undefined;
  const stop = () => {
    signal('SIGSTOP');
    timer = setTimeout(run, CYCLE_MS * (1 - share));
  };
  const run = () => {
    signal('SIGCONT');
    timer = setTimeout(stop, CYCLE_MS * share);
  };
  if (share < 1) stop();
  return () => {
    clearTimeout(timer);
    signal('SIGCONT');
  };
}
