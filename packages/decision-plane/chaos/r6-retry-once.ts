import { setTimeout as sleep } from 'node:timers/promises';
import type { LimitRequest } from '@tollgate/contracts';
import { startLossyProxy } from '@tollgate/decision-plane/testing';
import { failing, type Goal, type GoalOptions, type Measurement } from './goal.ts';
import { YARD_API } from './local-node.ts';
import { type Random, randomFrom } from './random.ts';
import { limitBy } from './rules.ts';
import { Yard } from './yard.ts';

const IDS = 100_000;
const USERS = 100;
const MOST_SENDS = 5;
const LOST_REPLIES = 0.1;
const NODES = 4;

/** In flight at one node. */
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

/** One consume, sent until it has been sent as often as it is to be and an answer of the store has come. */
interface Consume {
  readonly request: LimitRequest;
  sendsLeft: number;
  isAnswered: boolean;
}

/** What is sent again and again is charged once. */
export const retryChargesOnce: Goal = {
  id: 'R6',
  title: 'a retry charges once',
  passLine: 'charged = distinct request ids, exactly, each user',
  async run(options, tell) {
    const random = randomFrom(options.seed);
    // The lossy proxy stands where the nodes are told that the counters are; there is none in a cluster.
    const setup = { deadlineMs: 1000 };
    const yard = await Yard.open({ isolation: options.isolation, nodes: 0, limits: LIMITS, setup });
    const lost = randomFrom(options.seed + 1);
    const proxy = await startLossyProxy(yard.counters.port, () => lost.next());
    try {
      const countersUrl = `redis://127.0.0.1:${proxy.port}`;
      for (let i = 0; i < NODES; i++) await yard.addNode({ countersUrl });
      proxy.setLoss(LOST_REPLIES);
      const sends = await sendAll(yard, consumesOf(options, random), random);
      proxy.setLoss(0);
      await yard.decidesByStore();
      const lost = proxy.lost / (proxy.lost + proxy.passed);
      tell(await verdict(yard, idsOf(options), { ...sends, 'replies lost %': lost * 100 }));
    } finally {
      await yard.close();
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
      api: YARD_API,
      operation: 'consume',
      subject: { user: `u${i % USERS}` },
      requestId: `order-${options.seed}-${i}`,
    },
    sendsLeft: 1 + random.below(MOST_SENDS),
    isAnswered: false,
  }));
}

async function sendAll(
  { nodes }: Yard,
  consumes: Consume[],
  random: Random,
): Promise<{ sends: number; unanswered: number }> {
  const total = { sends: 0, unanswered: 0 };
  for (let open = consumes; open.length > 0; ) {
    // Some go to two nodes at the same time.
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
    // Answers without the store take no input or output: without a pause, a lost connection would never be made anew.
    await sleep(1);
    open = open.filter(({ sendsLeft, isAnswered }) => sendsLeft > 0 || !isAnswered);
  }
  return total;
}

async function verdict(
  yard: Yard,
  ids: number,
  numbers: Readonly<Record<string, number>>,
): Promise<Measurement> {
  const users = Array.from({ length: USERS }, (_, i) => `u${i}`);
  const requests = users.map((user) => ({
    tenant: 'acme',
    api: YARD_API,
    operation: 'consume',
    subject: { user },
  }));
  // Each node first makes the store know what it admitted without it; then any of them may be asked.
  for (const node of yard.nodes) await readings(node, requests);
  const [first] = yard.nodes;
  if (first === undefined) throw new Error('no nodes');
  const charged = (await readings(first, requests)).map(({ remaining }) => HUGE - remaining);
  const sum = charged.reduce((total, one) => total + one, 0);
  const failures = failing({
    'charged is not the number of ids': sum === ids,
    'a user is charged wrongly': charged.every((one) => one === ids / USERS),
    'nothing was lost': (numbers.unanswered ?? 0) > 0,
  });
  return { name: 'consumes', numbers: { ids, charged: sum, ...numbers }, failures };
}

/** What a node says of counters, by the store. */
async function readings(
  node: Yard['nodes'][number],
  requests: readonly LimitRequest[],
): Promise<Awaited<ReturnType<typeof node.ask>>> {
  for (let tries = 0; tries < 200; tries++) {
    const outcomes = await node.ask([...requests], 'peek');
    if (outcomes.every(({ fromStore }) => fromStore)) return outcomes;
    await sleep(20);
  }
  throw new Error('a node goes on deciding without the store');
}
