import { setTimeout as delay } from 'node:timers/promises';
import { startRealRedis } from '@tollgate/test-kit';
import { type Random, randomFrom } from '@tollgate/test-kit/random';
import { CatalogueModule } from '../../../apps/control-plane/src/features/catalogue/index.js';
import { CustomersModule } from '../../../apps/control-plane/src/features/customers/index.js';
import { ImpactModule } from '../../../apps/control-plane/src/features/governance/index.js';
import { Database } from '../../../apps/control-plane/src/platform/prisma/database.js';
import { percentile, until } from '../../until.ts';
import { failing, type Goal } from '../goal.ts';
import { ChaosStack } from './chaos-stack.ts';
import { Link, repeatAnnouncements } from './faulty-link.ts';
import { PolicyWriter, TENANTS } from './policy-writer.ts';
import { Observer } from './redis-observer.ts';
import { WatchedNode } from './watched-node.ts';

const CHANGES = 10_000;
const KILLS = 50;
const NODES = 4;
const KILL_WITHIN_MS = 500;

/** Share of all changes made before anything is cut or killed. */
const HEALTHY = 0.2;

const SPREAD_MS = 1000;
const CAUGHT_UP_MS = 5000;

/** Times are not asserted for short runs: other tests run beside them. */
const TIMED_FROM = 500;

const OFTEN = { everyMs: 20 };

/**
 * Changes tiers and tenants while links of nodes are cut, announcements are repeated and reordered, and the publisher is
 * killed. A node may skip a revision but never goes back; each decision must match its own revision.
 */
export const nodesAgree: Goal = {
  id: 'C5',
  scale: 0.2,
  title: 'nodes agree',
  passLine: 'all reach the newest revision, and no decision mixes two',
  async run({ seed, scale }, report) {
    const random = randomFrom(seed);
    const counters = await startRealRedis();
    const stack = await ChaosStack.open([CatalogueModule, CustomersModule, ImpactModule]);
    const observer = await Observer.start(stack.redisUrl);
    const links = await Promise.all(
      Array.from({ length: NODES }, () => Link.open(Number(new URL(stack.redisUrl).port), random)),
    );
    const nodes = links.map(() => new WatchedNode());
    const writer = new PolicyWriter(stack, random);
    const caughtUpMs: number[] = [];
    let kills = 0;
    try {
      await writer.begin();
      stack.startWorker();
      await settled(stack);
      await Promise.all(
        nodes.map((node, i) => startNode(stack, node, `node-${i}`, links[i], counters.url, random)),
      );
      const changes = Math.ceil(CHANGES * scale);
      const firstRevision = observer.newest + 1;
      await writer.write(Math.ceil(changes * HEALTHY));
      await settled(stack);
      const lastHealthy = observer.newest;
      await until(
        'all nodes are there',
        () => nodes.every(({ revision }) => revision === lastHealthy),
        OFTEN,
      );

      const stopRepeating = await repeatAnnouncements(stack.redisUrl, random);
      for (const [i, link] of links.entries()) {
        link.begin(() => noteCatchingUp(nodes[i] as WatchedNode, observer, caughtUpMs));
      }
      let isWriting = true;
      const killing = (async () => {
        const wanted = Math.ceil(KILLS * scale);
        while (kills < wanted && isWriting) {
          const before = observer.newest;
          await until('it publishes', () => !isWriting || observer.newest !== before, OFTEN);
          await delay(random.below(KILL_WITHIN_MS));
          await stack.killWorker();
          kills++;
          stack.startWorker();
        }
      })();
      await writer.write(changes - writer.made);
      // The last commits are published by a worker that is not killed.
      isWriting = false;
      await killing;
      await Promise.all(links.map((link) => link.end()));
      await settled(stack);
      const repeated = await stopRepeating();
      const newest = observer.newest;
      const behindMs = await until(
        'all nodes run the newest',
        () => nodes.every(({ revision }) => revision === newest),
        OFTEN,
      );
      let hashes = new Set<string>();
      // A tenant whose record could not be read keeps its last record for a second.
      const agreedMs = await until(
        'all nodes say the same',
        async () => {
          hashes = new Set(await Promise.all(nodes.map((node) => node.versionHash(TENANTS))));
          return hashes.size === 1;
        },
        OFTEN,
      ).catch(() => Number.POSITIVE_INFINITY);
      await Promise.all(nodes.map((node) => node.close()));

      const spreads = spreadsOf(nodes, observer, firstRevision, lastHealthy);
      const { decisions, unknown, mixed } = judge(nodes, observer);
      const failures = nodes.flatMap(({ thrown }) => thrown);
      const caughtUpP99Ms = percentile(caughtUpMs, 0.99);
      const numbers = {
        changes: writer.made,
        revisions: observer.writtenAtMs.size,
        'publishers killed': kills,
        'links cut': links.reduce((total, { cuts }) => total + cuts, 0),
        'announcements that came again': repeated,
        decisions,
        'decisions that mix two versions': mixed,
        'decisions under an unknown revision': unknown,
        thrown: failures.length,
        'thrown, first': failures[0] ?? '',
        'versions at the end': hashes.size,
        'steps back': nodes.reduce((total, { backwards }) => total + backwards, 0),
        'revisions that a node never came to or past': skipped(nodes, observer),
        'spread when healthy p50 ms': percentile(spreads, 0.5),
        'spread when healthy p99 ms': percentile(spreads, 0.99),
        'caught up after a cut p50 ms': percentile(caughtUpMs, 0.5),
        'caught up after a cut p99 ms': caughtUpP99Ms,
        'same versions after the last fault ms': behindMs + agreedMs,
      };
      const isTimed = changes >= TIMED_FROM;
      report({
        name: 'nodes',
        numbers,
        failures: failing({
          'a decision mixed two versions': mixed === 0,
          'a decision was made under a revision that was never written': unknown === 0,
          'a decision failed': failures.length === 0,
          'nodes ended on different versions': hashes.size === 1,
          'a node went back': numbers['steps back'] === 0,
          'a node skipped a version for good': numbers['revisions that a node never came to or past'] === 0,
          'nothing was killed': kills > 0,
          'nodes differed for more than a second': !isTimed || percentile(spreads, 0.99) <= SPREAD_MS,
          'a node was behind for more than five seconds after a cut':
            !isTimed || Math.max(caughtUpP99Ms, behindMs + agreedMs) <= CAUGHT_UP_MS,
        }),
      });
    } finally {
      await Promise.all(nodes.map((node) => node.close()));
      await Promise.all(links.map((link) => link.close()));
      observer.stop();
      await stack.stop();
      await counters.stop();
    }
  },
};

async function startNode(
  stack: ChaosStack,
  node: WatchedNode,
  nodeId: string,
  link: Link | undefined,
  countersUrl: string,
  random: Random,
): Promise<void> {
  const configUrl = link?.url ?? stack.redisUrl;
  const { onEvent } = node;
  const plane = await stack.startNode(nodeId, { configUrl, countersUrl, onEvent });
  // A node cannot decide for an unknown tenant while its link is cut.
  await Promise.all(TENANTS.map((tenant) => plane.limitsOf(tenant, 'shop')));
  node.ask(plane, TENANTS, random);
}

/** Resolves when everything committed is published. */
async function settled(stack: ChaosStack): Promise<void> {
  const { client } = stack.context.get(Database);
  const pending = () => client.outboxEvent.count({ where: { revision: null } });
  await until('everything is published', async () => (await pending()) === 0, OFTEN);
}

/** Time that a node takes to apply the newest revision after its link is restored. */
async function noteCatchingUp(node: WatchedNode, observer: Observer, caughtUpMs: number[]): Promise<void> {
  const wanted = observer.newest;
  const isThere = () => node.revision >= wanted;
  caughtUpMs.push(await until('it catches up', isThere, { everyMs: 5 }));
}

/** Time from the first to the last node running each revision, ms. */
function spreadsOf(nodes: readonly WatchedNode[], observer: Observer, from: number, to: number): number[] {
  const spreads: number[] = [];
  for (const revision of observer.writtenAtMs.keys()) {
    if (revision < from || revision > to) continue;
    const atMs = nodes.map((node) => node.reachedMs(revision) ?? Number.POSITIVE_INFINITY);
    spreads.push(Math.max(...atMs) - Math.min(...atMs));
  }
  return spreads;
}

function skipped(nodes: readonly WatchedNode[], observer: Observer): number {
  const revisions = [...observer.writtenAtMs.keys()];
  return nodes.flatMap((node) => revisions.filter((revision) => node.reachedMs(revision) === undefined))
    .length;
}

/** Compares every decision with its revision. */
function judge(nodes: readonly WatchedNode[], observer: Observer) {
  const counts = { decisions: 0, unknown: 0, mixed: 0 };
  for (const { tenant, revision, limit, count } of nodes.flatMap((node) => [...node.decisions.values()])) {
    counts.decisions += count;
    const said = observer.limitOf(revision, tenant);
    if (said === undefined) counts.unknown += count;
    else if (said !== limit) counts.mixed += count;
  }
  return counts;
}
