import { setTimeout as sleep } from 'node:timers/promises';
import type { LimitRequest } from '@tollgate/contracts';
import { startLossyProxy } from '@tollgate/limiter/testing';
import { type Random, randomFrom } from '@tollgate/test-kit/random';
import { failing, type Goal, type GoalOptions, type Measurement } from '../goal.ts';
import { TESTBED_API } from './local-node.ts';
import { limitBy } from './rules.ts';
import { Testbed } from './testbed.ts';

const IDS = 100_000;
const USERS = 100;
const MOST_SENDS = 5;
const LOST_REPLIES = 0.1;
const NODES = 4;

/** In flight per node. */
const CHUNK = 2000;

const HUGE = 1_000_000_000;

const LIMITS = [
  limitBy('consume', {
    algorithm: 'fixed_window',
    limit: HUGE,
    windowMs: 3_600_000,
    alignment: 'first_request',
  }),
];

/** One request, repeated until it was sent as often as planned and the store has replied. */
interface Consume {
  readonly request: LimitRequest;
  sendsLeft: number;
  isAnswered: boolean;
}

/** Repeated requests are charged once. */
export const retryChargesOnce: Goal = {
  id: 'R6',
  title: 'a retry charges once',
  passLine: 'charged = distinct request ids, exactly, for each user',
  async run(options, report) {
    const random = randomFrom(options.seed);
    // The lossy proxy is the nodes' address of the counters; a cluster has none.
    const setup = { deadlineMs: 1000 };
    const testbed = await Testbed.open({ isolation: options.isolation, nodes: 0, limits: LIMITS, setup });
    const lost = randomFrom(options.seed + 1);
    const proxy = await startLossyProxy(testbed.counters.port, () => lost.next());
    try {
      const countersUrl = `redis://127.0.0.1:${proxy.port}`;
      for (let i = 0; i < NODES; i++) await testbed.addNode({ countersUrl });
      proxy.setLoss(LOST_REPLIES);
      const sends = await sendAll(testbed, consumesOf(options, random), random);
      proxy.setLoss(0);
      await testbed.decidesByStore();
      const lost = proxy.lost / (proxy.lost + proxy.passed);
      report(await verdict(testbed, idsOf(options), { ...sends, 'lost replies %': lost * 100 }));
    } finally {
      await testbed.close();
      await proxy.close();
    }
  },
};

function idsOf({ scale }: GoalOptions): number {
  return Math.round((IDS * scale) / USERS) * USERS;
}

function consumesOf(options: GoalOptions, random: Random): Consume[] {
  return Array.from({ length: idsOf(options) }, (_, i) => ({
    request: {
      tenant: 'acme',
      api: TESTBED_API,
      operation: 'consume',
      subject: { user: `u${i % USERS}` },
      requestId: `order-${options.seed}-${i}`,
    },
    sendsLeft: 1 + random.below(MOST_SENDS),
    isAnswered: false,
  }));
}

async function sendAll(
  { nodes }: Testbed,
  consumes: Consume[],
  random: Random,
): Promise<{ sends: number; unanswered: number }> {
  const total = { sends: 0, unanswered: 0 };
  for (let open = consumes; open.length > 0; ) {
    // Some are sent to two nodes at once.
    const rounds = nodes.map(() => open.filter(() => random.below(nodes.length) === 0).slice(0, CHUNK));
    const sent = rounds.map(async (round, i) => {
      const outcomes = (await nodes[i]?.ask(round.map(({ request }) => request))) ?? [];
      for (const [j, consume] of round.entries()) {
        consume.sendsLeft--;
        total.sends++;
        if (outcomes[j]?.fromStore === true) consume.isAnswered = true;
        else total.unanswered++;
      }
    });
    await Promise.all(sent);
    // Decisions without the store do no I/O: without a pause, a lost connection would never reconnect.
    await sleep(1);
    open = open.filter(({ sendsLeft, isAnswered }) => sendsLeft > 0 || !isAnswered);
  }
  return total;
}

async function verdict(
  testbed: Testbed,
  ids: number,
  numbers: Readonly<Record<string, number>>,
): Promise<Measurement> {
  const users = Array.from({ length: USERS }, (_, i) => `u${i}`);
  const requests = users.map((user) => ({
    tenant: 'acme',
    api: TESTBED_API,
    operation: 'consume',
    subject: { user },
  }));
  // Each node must first replay its local charges; then any of them can be read.
  for (const node of testbed.nodes) await readings(node, requests);
  const [first] = testbed.nodes;
  if (first === undefined) throw new Error('no nodes');
  const charged = (await readings(first, requests)).map(({ remaining }) => HUGE - remaining);
  const sum = charged.reduce((total, one) => total + one, 0);
  const failures = failing({
    'charged differs from the number of ids': sum === ids,
    'a user was charged wrongly': charged.every((one) => one === ids / USERS),
    'nothing was lost': (numbers.unanswered ?? 0) > 0,
  });
  return { name: 'consumes', numbers: { ids, charged: sum, ...numbers }, failures };
}

/** A node's readings of counters, from the store. */
async function readings(
  node: Testbed['nodes'][number],
  requests: readonly LimitRequest[],
): Promise<Awaited<ReturnType<typeof node.ask>>> {
  for (let tries = 0; tries < 200; tries++) {
    const outcomes = await node.ask([...requests], 'peek');
    if (outcomes.every(({ fromStore }) => fromStore)) return outcomes;
    await sleep(20);
  }
  throw new Error('a node still decides without the store');
}
