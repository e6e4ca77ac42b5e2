import { once } from 'node:events';
import { createServer } from 'node:net';
import { failing, type Goal, type GoalOptions, type Measurement } from '../goal.ts';
import { command } from './faults.ts';
import { TESTBED_API } from './local-node.ts';
import { limitBy } from './rules.ts';
import { Testbed } from './testbed.ts';
import type { Outcome, TestbedNode } from './testbed-node.ts';

const NODES = 4;
const CLIENTS = 4;

const USABLE_WITHIN_MS = 600;
const EXACT_AFTER_MS = 1000;
const MOST_ATTEMPTS_PER_SECOND = 20;

const PER_SECOND = 4000;
const OUTAGE_MS = 1500;
const PAUSE_MS = 400;
const EXACT_LIMIT = 100;
/** Of nodes that share a process with their load. */
const SHARED_DEADLINE_MS = 300;
/**
 * Longer than the deadline plus a stall of the process: a call sent late, and charged in time after the freeze, may lose its
 * answer.
 */
const SHARED_FREEZE_MS = 1000;
const MOST_ROUNDS = 20;
const HUGE = 1_000_000_000;
const HOUR_MS = 3_600_000;

const LIMITS = [
  // Admits nothing without the store, so that later charges can only belong to earlier requests.
  limitBy(
    'tally',
    { algorithm: 'fixed_window', limit: HUGE, windowMs: HOUR_MS, alignment: 'first_request' },
    { onUnavailable: 'deny' },
  ),
  limitBy('exact', { algorithm: 'sliding_window_log', limit: EXACT_LIMIT, windowMs: HOUR_MS }),
];

/** Recovery when the counter Redis returns. */
export const recoversOnce: Goal = {
  id: 'R5',
  title: 'recovers quickly and once',
  passLine:
    `usable <= ${USABLE_WITHIN_MS} ms and exact <= ${EXACT_AFTER_MS} ms after the store is back, 0 charges after the answer, ` +
    `<= ${MOST_ATTEMPTS_PER_SECOND} connection attempts/s and node`,
  seconds: 4,
  async run(options, report) {
    const cycles = Math.max(1, Math.round(options.seconds));
    const tenants = Array.from({ length: cycles }, (_, i) => `cycle-${i}`);
    const { isolation } = options;
    const clients = isolation === 'process' ? CLIENTS : 1;
    const setup = isolation === 'process' ? {} : { deadlineMs: SHARED_DEADLINE_MS };
    const common = { isolation, clients, nodes: NODES, limits: LIMITS, tenants, setup };
    const direct = await Testbed.open(common);
    try {
      for (const tenant of tenants) report(await killed(direct, tenant, options, clients));
      for (const tenant of tenants) report(await frozen(direct, tenant, options));
    } finally {
      await direct.close();
    }
    const proxied = await Testbed.open({ ...common, proxy: 'shared' });
    try {
      const auditor = await proxied.addNode({ countersUrl: proxied.counters.url, clients: 1 });
      proxied.nodes.splice(proxied.nodes.indexOf(auditor), 1);
      for (const tenant of tenants) report(await swallowed(proxied, tenant, auditor, options));
      await auditor.close();
    } finally {
      await proxied.close();
    }
  },
};

/** Killed and restarted empty: all counts are later charges. */
async function killed(
  testbed: Testbed,
  tenant: string,
  options: GoalOptions,
  clients: number,
): Promise<Measurement> {
  const load = tally(testbed.nodes, tenant, options, OUTAGE_MS + 2 * PAUSE_MS);
  await pause(PAUSE_MS);
  testbed.counters.kill('SIGKILL');
  await testbed.counters.exited;
  const attempts = await countAttempts(testbed.counters.port, OUTAGE_MS);
  await testbed.restartCounters();
  const backMs = Date.now();
  const usableMs = await untilUsable(testbed, tenant, clients);
  await pause(Math.max(0, EXACT_AFTER_MS - (Date.now() - backMs)));
  const exact = await askExact(testbed, tenant, options);
  const admitted = exact.filter(({ success }) => success).length;
  const told = (await load).filter(({ atUs }) => atUs >= (backMs - OUTAGE_MS / 2) * 1000).length;
  const phantoms = (await used(testbed.nodes[0], tenant)) - told;
  const perNode = attempts / (OUTAGE_MS / 1000) / (testbed.nodes.length * clients);
  const numbers = {
    usableMs,
    'admitted of 100': admitted,
    phantoms,
    'attempts per second and node': perNode,
  };
  const failures = failing({
    [`not usable within ${USABLE_WITHIN_MS} ms`]:
      options.isolation === 'none' || usableMs <= USABLE_WITHIN_MS,
    'not exact again': admitted === EXACT_LIMIT && exact.every(({ degraded }) => !degraded),
    'charged after the answer': phantoms === 0,
    // A node has two connections: for decisions and for counter messages.
    'too many attempts': perNode <= MOST_ATTEMPTS_PER_SECOND,
  });
  return { name: `kill and restart, ${tenant}`, numbers, failures };
}

/** Beside other tests, a reply may be late: repeats such rounds, each on an unused counter. */
async function askExact(testbed: Testbed, tenant: string, { isolation }: GoalOptions): Promise<Outcome[]> {
  for (let round = 0; ; round++) {
    const asked = Array(EXACT_LIMIT).fill(requestFor(tenant, 'exact', `u${round}`));
    const outcomes = (await Promise.all(testbed.nodes.map((node) => node.ask(asked)))).flat();
    const isLate = isolation === 'none' && outcomes.some(({ degraded }) => degraded);
    if (!isLate || round === MOST_ROUNDS) return outcomes;
    await testbed.decidesByStore();
  }
}

/** Stopped and continued: data in its sockets is read after the callers got replies. */
async function frozen(testbed: Testbed, tenant: string, options: GoalOptions): Promise<Measurement> {
  const before = await used(testbed.nodes[0], tenant);
  const freezeMs = freezeMsOf(options);
  const load = tally(testbed.nodes, tenant, options, 2 * PAUSE_MS + freezeMs);
  await pause(PAUSE_MS);
  // A server stopped between a charge and its reply would lose an answer, which looks like a charge after the answer.
  await command(testbed, 'CLIENT', 'PAUSE', freezeMs, 'WRITE');
  await command(testbed, 'PING');
  testbed.counters.kill('SIGSTOP');
  await pause(freezeMs);
  testbed.counters.kill('SIGCONT');
  const told = (await load).length;
  await testbed.decidesByStore();
  const phantoms = (await used(testbed.nodes[0], tenant)) - before - told;
  const failures = failing({ 'charged after the answer': phantoms === 0 });
  return { name: `freeze, ${tenant}`, numbers: { told, phantoms }, failures };
}

/** Nothing passes for a while, then everything arrives. */
async function swallowed(
  testbed: Testbed,
  tenant: string,
  auditor: TestbedNode,
  options: GoalOptions,
): Promise<Measurement> {
  const freezeMs = freezeMsOf(options);
  const load = tally(testbed.nodes, tenant, options, 2 * PAUSE_MS + freezeMs);
  await pause(PAUSE_MS);
  testbed.proxy.freeze();
  const frozenUs = Date.now() * 1000;
  await pause(freezeMs / 2);
  const usedWhileFrozen = await used(auditor, tenant);
  await pause(freezeMs / 2);
  testbed.proxy.thaw();
  const admitted = await load;
  await testbed.decidesByStore();
  const toldBefore = admitted.filter(({ atUs }) => atUs < frozenUs + (freezeMs / 2) * 1000).length;
  const toldAfter = admitted.length - toldBefore;
  const phantoms = (await used(auditor, tenant)) - usedWhileFrozen - toldAfter;
  const numbers = { phantoms, 'charged, answer lost': usedWhileFrozen - toldBefore };
  const failures = failing({ 'charged after the answer': phantoms === 0 });
  return { name: `black hole, ${tenant}`, numbers, failures };
}

function freezeMsOf({ isolation }: GoalOptions): number {
  return isolation === 'process' ? PAUSE_MS : SHARED_FREEZE_MS;
}

/** Puts load on one counter; returns the store's admissions. */
async function tally(
  nodes: readonly TestbedNode[],
  tenant: string,
  { seed, scale }: GoalOptions,
  ms: number,
): Promise<Outcome[]> {
  const mix = [{ operation: 'tally', users: 1, weight: 1 }];
  const load = {
    perSecond: (PER_SECOND * scale) / nodes.length,
    ms,
    tenant,
    mix,
    outcomes: 'admitted' as const,
  };
  const reports = await Promise.all(nodes.map((node, i) => node.load({ ...load, seed: seed + i })));
  return reports.flatMap(({ outcomes }) => outcomes).filter(({ fromStore }) => fromStore);
}

/** Time until every client of every node gets replies from the store, ms. */
async function untilUsable({ nodes }: Testbed, tenant: string, clients: number): Promise<number> {
  const startMs = performance.now();
  const asked = Array(clients).fill(requestFor(tenant, 'exact'));
  await Promise.all(
    nodes.map(async (node) => {
      while (!(await node.ask(asked, 'peek')).every(({ fromStore }) => fromStore)) await pause(5);
    }),
  );
  return performance.now() - startMs;
}

/** Replaces the server, resets all connections and counts them. */
async function countAttempts(port: number, ms: number): Promise<number> {
  let attempts = 0;
  const server = createServer((socket) => {
    attempts++;
    socket.on('error', () => undefined);
    socket.resetAndDestroy();
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  await pause(ms);
  server.close();
  await once(server, 'close');
  return attempts;
}

async function used(node: TestbedNode | undefined, tenant: string): Promise<number> {
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const [outcome] = (await node?.ask([requestFor(tenant, 'tally')], 'peek')) ?? [];
    if (outcome?.fromStore === true) return HUGE - outcome.remaining;
    await pause(20);
  }
  throw new Error('the counters cannot be read');
}

function requestFor(tenant: string, operation: string, user = 'u0') {
  return { tenant, api: TESTBED_API, operation, subject: { user } };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
