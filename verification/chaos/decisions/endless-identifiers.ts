import { failing, type Goal, type GoalOptions, type Measurement } from '../goal.ts';
import { TESTBED_API } from './local-node.ts';
import { limitBy } from './rules.ts';
import { Testbed } from './testbed.ts';

const QUOTAS = 10_000;
const RANDOM_IDS = 600_000;
const IDS_THROUGH_ONE_NODE = 10_000_000;
const SHORT_IDS_THROUGH_ONE_NODE = 1_000_000;
const MAX_GROWTH_MB = 50;
const WARM_UP_IDS = 200_000;

/** The default per tenant. */
const KEYS_PER_TENANT = 100_000;
const CHUNK = 2000;
const IN_FLIGHT = 512;
const MB = 1024 * 1024;

const LIMITS = [
  limitBy('paid', { algorithm: 'quota', limit: 100, period: 'month' }),
  limitBy('visit', { algorithm: 'gcra', limit: 60, windowMs: 60_000, burst: 10 }),
];

/** Random identifiers neither exhaust the memory of Redis, at the cost of paid quotas, nor that of a node. */
export const endlessIds: Goal = {
  id: 'R11',
  title: 'unlimited identifiers',
  passLine:
    `${QUOTAS} of ${QUOTAS} monthly counters survive ${RANDOM_IDS} random ids in 64 MB, 0 refused for memory; ` +
    `a node's memory grows by <= ${MAX_GROWTH_MB} MB; one alarm for a tenant above its budget, others stay exact`,
  seconds: 20,
  async run(options, report) {
    report(await crowdedStore(options));
    report(await crowdedNode(options));
  },
};

async function crowdedStore({ isolation, scale }: GoalOptions): Promise<Measurement> {
  const memoryMb = Math.max(8, Math.round(64 * scale));
  const redisArgs = ['--maxmemory', `${memoryMb}mb`, '--maxmemory-policy', 'noeviction'];
  const setup = { deadlineMs: 2000, keysPerTenant: 10_000_000 };
  const testbed = await Testbed.open({ isolation, nodes: 2, limits: LIMITS, redisArgs, setup });
  try {
    const quotas = Math.round(QUOTAS * scale);
    const paid = (verb: 'limit' | 'peek') => askPaid(testbed, quotas, verb);
    await paid('limit');
    const ids = Math.round((RANDOM_IDS * scale) / testbed.nodes.length);
    const floods = await Promise.all(
      testbed.nodes.map((node, i) =>
        node.flood({ tenant: 'acme', operation: 'visit', from: i * ids, ids, inFlight: IN_FLIGHT }),
      ),
    );
    const survived = (await paid('peek')).filter(({ left }) => left?.paid === 99).length;
    const degraded = floods.reduce((sum, flood) => sum + flood.degraded, 0);
    const admitted = floods.reduce((sum, flood) => sum + flood.admitted, 0);
    const failures = failing({
      'monthly counters were lost': survived === quotas,
      'some were not decided by the store': degraded === 0,
    });
    const numbers = { ids: ids * 2, memoryMb, quotas, survived, admitted, degraded };
    return { name: 'random ids, small store', numbers, failures };
  } finally {
    await testbed.close();
  }
}

async function askPaid({ nodes: [node] }: Testbed, quotas: number, verb: 'limit' | 'peek') {
  const outcomes = [];
  for (let from = 0; from < quotas; from += CHUNK) {
    const requests = Array.from({ length: Math.min(CHUNK, quotas - from) }, (_, i) => ({
      tenant: 'acme',
      api: TESTBED_API,
      operation: 'paid',
      subject: { user: `customer-${from + i}` },
    }));
    outcomes.push(...((await node?.ask(requests, verb)) ?? []));
  }
  return outcomes;
}

async function crowdedNode({ isolation, scale, seconds: forS }: GoalOptions): Promise<Measurement> {
  const setup = { deadlineMs: 2000 };
  const tenants = ['acme', 'globex'];
  const testbed = await Testbed.open({ isolation, nodes: 1, limits: LIMITS, tenants, setup });
  try {
    const [node] = testbed.nodes;
    if (node === undefined) throw new Error('no node');
    const most = forS >= 60 ? IDS_THROUGH_ONE_NODE : SHORT_IDS_THROUGH_ONE_NODE;
    const ids = Math.round(most * scale);
    // First enough to fill the caches and warm the process up; later growth would be unbounded.
    const visits = { tenant: 'acme', operation: 'visit', inFlight: IN_FLIGHT };
    const warmUp = Math.min(WARM_UP_IDS, ids / 5);
    const first = await node.flood({ ...visits, from: 0, ids: warmUp });
    const flood = await node.flood({ ...visits, from: 1_000_000_000, ids });
    const alarms = (await node.events()).filter((kind) => kind === 'key-budget-spent').length;
    const request = {
      tenant: 'globex',
      api: TESTBED_API,
      operation: 'visit',
      subject: { user: 'one-of-few' },
    };
    const neighbor = (await node.ask(Array(20).fill(request))).filter(({ success }) => success).length;
    const heldMb = (flood.after.held - first.before.held) / MB;
    const rssMb = (flood.after.rss - flood.before.rss) / MB;
    const admitted = first.admitted + flood.admitted;
    const seconds = (first.ms + flood.ms) / 1000;
    const isPastBudget = warmUp + ids > KEYS_PER_TENANT;
    // An id above the budget is mistaken for a known one with a probability of keys / 2^36; allows twice that.
    const mistaken = 5 + (2 * ids * KEYS_PER_TENANT) / 2 ** 36;
    const failures = failing({
      [`grew by more than ${MAX_GROWTH_MB} MB`]: isolation === 'none' || heldMb <= MAX_GROWTH_MB,
      'not one alarm': alarms === (isPastBudget ? 1 : 0),
      'the neighbor’s limit is not exact': neighbor === 11,
      'the overflow counter allowed too many':
        !isPastBudget || admitted <= KEYS_PER_TENANT + seconds + 11 + mistaken,
      'some were not decided by the store': flood.degraded === 0,
    });
    const perSecond = ids / (flood.ms / 1000);
    const numbers = {
      ids,
      perSecond,
      'holds more, MB': heldMb,
      'rss, MB': rssMb,
      admitted,
      alarms,
      neighbor,
    };
    return { name: 'random ids, one node', numbers, failures };
  } finally {
    await testbed.close();
  }
}
