import { randomFrom } from '@tollgate/test-kit/random';
import { failing, type Goal, type GoalOptions, type Measurement } from '../goal.ts';
import { TESTBED_API } from './local-node.ts';
import { limitBy } from './rules.ts';
import { Testbed } from './testbed.ts';
import type { Outcome, TestbedNode } from './testbed-node.ts';

const NODES = 4;

/** Offered load in each window, as a multiple of the limit. */
const OVERLOAD = 50;

/** Users per limit. */
const USERS: Readonly<Record<number, number>> = { 10: 20, 100: 5, 10000: 1 };

/** Half a limit is spent before the outage, in this many parts, each by a random node. */
const PARTS_SPENT = 20;

const EXHAUSTED_LIMIT = 50;
const EXHAUSTED_USERS = 10;

/** Spent by one node on keys that no other node uses. */
const STICKY_LIMIT = 100;
const STICKY_SPENT = 90;

/** For the usage before the outage, on a busy machine. */
const STORE_WAIT_MS = 10_000;

/** Time until all nodes know exhausted counters. */
const NEWS_MS = 2000;

const windowRule = (limit: number, windowMs: number) =>
  ({ algorithm: 'fixed_window', limit, windowMs, alignment: 'clock' }) as const;

/** Bounds admissions during an outage. */
export const boundedDuringOutage: Goal = {
  id: 'R3',
  title: 'bounded during an outage',
  passLine:
    'share: per key and window <= limit + nodes + admissions on other nodes since a node last read the counter (mean over ' +
    'nodes); with a joining node, + its own part of a fresh limit; exhausted and deny: 0; allow: all, counted',
  seconds: 6,
  async run(options, report) {
    await new Outage(options, report).run();
  },
};

class Outage {
  private readonly options: GoalOptions;
  private readonly report: (measurement: Measurement) => void;
  private readonly windowMs: number;
  private readonly limits: readonly number[];

  constructor(options: GoalOptions, report: (measurement: Measurement) => void) {
    this.options = options;
    this.report = report;
    this.windowMs = options.seconds * 1000;
    // Fifty times ten thousand is more than one process can offer.
    this.limits = [10, 100, 10_000].filter((limit) => options.scale === 1 || limit < 1000);
  }

  /** The outage starts in the first window; in the second, or the next, one node joins and one leaves. */
  async run(): Promise<void> {
    const { windowMs } = this;
    const policies = [
      ...this.limits.map((limit) => limitBy(`share-${limit}`, windowRule(limit, windowMs))),
      limitBy('exhausted', { algorithm: 'sliding_window_log', limit: EXHAUSTED_LIMIT, windowMs: 3_600_000 }),
      limitBy('sticky', { algorithm: 'sliding_window_log', limit: STICKY_LIMIT, windowMs: 3_600_000 }),
      limitBy('deny', windowRule(100, windowMs), { onUnavailable: 'deny' }),
      limitBy('allow', windowRule(100, windowMs), { onUnavailable: 'allow' }),
    ];
    const testbed = await Testbed.open({ isolation: this.options.isolation, nodes: NODES, limits: policies });
    try {
      await testbed.nodesKnown(NODES);
      await this.exhaust(testbed);
      await this.nextWindow();
      const spent = await this.spendHalf(testbed);
      testbed.counters.kill('SIGKILL');
      await testbed.counters.exited;
      const first = await this.offer(testbed.nodes, this.leftOfWindowMs());
      for (const limit of this.limits) this.tellFirst(limit, spent, first);
      await this.nextWindow();
      // Starting takes seconds, because the node tries to reach the counters.
      const joins = testbed.addNode();
      const second = await this.offer([...testbed.nodes], windowMs / 2);
      const joiner = await joins;
      if (this.leftOfWindowMs() < windowMs / 4) await this.nextWindow();
      second.push(...(await this.offer(testbed.nodes, this.leftOfWindowMs() / 2)));
      await this.leave(testbed);
      second.push(...(await this.offer(testbed.nodes, this.leftOfWindowMs())));
      for (const limit of this.limits) this.tellSecond(limit, second);
      this.tellSticky([...first, ...second], joiner.id);
      for (const mode of ['exhausted', 'deny', 'allow'])
        this.tellMode(mode, [...first, ...second], joiner.id);
    } finally {
      await testbed.close();
    }
  }

  /** One node uses keys that no other node uses: some entirely, some almost. */
  private async exhaust({ nodes: [node] }: Testbed): Promise<void> {
    if (node === undefined) throw new Error('no node');
    const users = Array.from({ length: EXHAUSTED_USERS }, (_, i) => `u${i}`);
    const uses = { exhausted: EXHAUSTED_LIMIT, sticky: STICKY_SPENT };
    for (const [operation, times] of Object.entries(uses)) {
      for (const user of users) await spendAtStore(node, requestFor(operation, user), times);
    }
    await new Promise((resolve) => setTimeout(resolve, NEWS_MS));
  }

  /** In parts, on nodes in random order, so that their last readings have different ages. */
  private async spendHalf({ nodes }: Testbed): Promise<Outcome[]> {
    const random = randomFrom(this.options.seed);
    const outcomes: Outcome[] = [];
    for (let part = 0; part < PARTS_SPENT; part++) {
      for (const limit of this.limits) {
        const node = nodes[random.below(nodes.length)];
        const units = Math.max(1, Math.round(limit / 2 / PARTS_SPENT));
        if (limit < 2 * PARTS_SPENT && part % 4 > 0) continue;
        for (let user = 0; user < (USERS[limit] ?? 1); user++) {
          const requests = Array(units).fill(requestFor(`share-${limit}`, `u${user}`));
          outcomes.push(...((await node?.ask(requests)) ?? []));
        }
      }
    }
    return outcomes;
  }

  /** Offers everything at fifty times its limit, divided over the nodes; returns the admissions. */
  private async offer(nodes: readonly TestbedNode[], ms: number): Promise<Outcome[]> {
    const shares = this.limits.map((limit) => {
      const users = USERS[limit] ?? 1;
      return { operation: `share-${limit}`, users, weight: users * limit * OVERLOAD };
    });
    const others = ['exhausted', 'sticky', 'deny', 'allow'].map((operation) => ({
      operation,
      users: EXHAUSTED_USERS,
      weight: 1000,
    }));
    const mix = [...shares, ...others];
    const perWindow = mix.reduce((sum, { weight }) => sum + weight, 0);
    const perSecond = (perWindow / this.windowMs) * (1000 / nodes.length);
    const load = { perSecond, ms, tenant: 'acme', mix, outcomes: 'admitted' as const };
    const reports = await Promise.all(
      nodes.map((node, i) => node.load({ ...load, seed: this.options.seed + i })),
    );
    return reports.flatMap(({ outcomes }) => outcomes);
  }

  private async leave(testbed: Testbed): Promise<void> {
    const [leaver] = testbed.nodes;
    if (leaver !== undefined) await testbed.killNode(leaver);
  }

  private tellFirst(limit: number, spent: readonly Outcome[], offered: readonly Outcome[]): void {
    const operation = `share-${limit}`;
    // On a slow machine, the last ones fall into the next window.
    const window = this.windowOf(spent.at(-1)?.atUs ?? 0);
    const byKey = (outcomes: readonly Outcome[]) =>
      Map.groupBy(
        outcomes.filter(({ atUs }) => this.windowOf(atUs) === window),
        ({ key }) => key,
      );
    const [before, during] = [byKey(spent), byKey(offered)];
    let worst = 0;
    let worstBound = 0;
    let breaches = 0;
    let staleMean = 0;
    for (let user = 0; user < (USERS[limit] ?? 1); user++) {
      const key = `${operation} u${user}`;
      const read = before.get(key) ?? [];
      const stale = staleness(limit, read);
      const bound = limit + NODES + stale;
      const admitted = read.filter(({ success }) => success).length + (during.get(key)?.length ?? 0);
      staleMean = Math.max(staleMean, stale);
      if (admitted > bound) breaches++;
      if (admitted < worst) continue;
      worst = admitted;
      worstBound = bound;
    }
    const numbers = { worst, bound: worstBound, limit, nodes: NODES, 'maximum staleness': staleMean };
    const failures = failing({ [`${breaches} keys above the bound`]: breaches === 0 });
    this.report({ name: `share ${limit}, first window`, numbers, failures });
  }

  private tellSecond(limit: number, offered: readonly Outcome[]): void {
    const ofLimit = offered.filter(({ key }) => key.startsWith(`share-${limit} `));
    const windows = Map.groupBy(ofLimit, ({ key, atUs }) => `${key} ${this.windowOf(atUs)}`);
    const worst = Math.max(...[...windows.values()].map((one) => one.length));
    // The joining node knows no usage, and counts all nodes and itself.
    const bound = limit + NODES + 1 + Math.max(1, Math.floor(limit / (NODES + 1)));
    const failures = failing({ 'a key is above the bound': worst <= bound });
    this.report({ name: `share ${limit}, join and leave`, numbers: { worst, bound, limit }, failures });
  }

  private tellSticky(offered: readonly Outcome[], joiner: string): void {
    const admitted = offered.filter(({ key, node }) => key.startsWith('sticky ') && node !== joiner);
    const byKey = [...Map.groupBy(admitted, ({ key }) => key).values()].map((one) => one.length);
    const worst = STICKY_SPENT + Math.max(0, ...byKey);
    // Other nodes update when half of the known rest was spent: they take at most twice the rest.
    const bound = STICKY_LIMIT + NODES + (STICKY_LIMIT - STICKY_SPENT);
    const numbers = { worst, bound, limit: STICKY_LIMIT, 'spent before': STICKY_SPENT };
    const failures = failing({ 'a key is above the bound': worst <= bound });
    this.report({ name: 'keys of one node', numbers, failures });
  }

  private tellMode(mode: string, offered: readonly Outcome[], joiner: string): void {
    const admitted = offered.filter(({ key }) => key.startsWith(`${mode} `));
    const byJoiner = admitted.filter(({ node }) => node === joiner).length;
    const byOthers = admitted.length - byJoiner;
    const part = EXHAUSTED_USERS * Math.max(1, Math.floor(EXHAUSTED_LIMIT / (NODES + 1)));
    const failures = failing({
      'something was admitted': mode === 'allow' || byOthers === 0,
      'the joining node admitted more than its part': mode !== 'exhausted' || byJoiner <= part,
      'something was denied, or not marked': mode !== 'allow' || admitted.every(({ degraded }) => degraded),
    });
    this.report({ name: mode, numbers: { admitted: byOthers, 'by the joining node': byJoiner }, failures });
  }

  private windowOf(atUs: number): number {
    return Math.floor(atUs / 1000 / this.windowMs);
  }

  private leftOfWindowMs(): number {
    return this.windowMs - (Date.now() % this.windowMs) - 20;
  }

  private async nextWindow(): Promise<void> {
    const ms = this.windowMs - (Date.now() % this.windowMs) + 5;
    await new Promise((resolve) => setTimeout(resolve, ms));
  }
}

/** Admissions since each node last read the counter, as a mean over the nodes; since the start if it never did. */
function staleness(limit: number, read: readonly Outcome[]): number {
  const used = read.filter(({ success }) => success).length;
  const last = new Map(read.map(({ node, remaining }) => [node, remaining]));
  const missed = [...last.values()].map((remaining) => remaining - (limit - used));
  const unread = NODES - last.size;
  return (missed.reduce((sum, one) => sum + one, 0) + unread * used) / NODES;
}

/** Repeats requests that were decided without the store because the machine was too busy. */
async function spendAtStore(
  node: TestbedNode,
  request: ReturnType<typeof requestFor>,
  times: number,
): Promise<void> {
  const giveUpMs = performance.now() + STORE_WAIT_MS;
  for (let left = times; left > 0; ) {
    const outcomes = await node.ask(Array(left).fill(request));
    left -= outcomes.filter(({ fromStore }) => fromStore).length;
    if (left === 0) return;
    if (performance.now() > giveUpMs) throw new Error('the store did not reply within its deadline');
    // A late reply suspends the store; until it is used again, answers are immediate.
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function requestFor(operation: string, user: string) {
  return { tenant: 'acme', api: TESTBED_API, operation, subject: { user } };
}
