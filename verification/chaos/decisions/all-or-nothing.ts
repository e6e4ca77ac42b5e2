import type { LimitPolicy, Rule } from '@tollgate/contracts';
import { failing, type Goal, type GoalOptions, type Measurement } from '../goal.ts';
import { TESTBED_API } from './local-node.ts';
import { limitBy } from './rules.ts';
import { Testbed } from './testbed.ts';
import type { TestbedNode } from './testbed-node.ts';

const NODES = 3;
const PER_SECOND = 5000;
const KILL_EVERY_MS = 2000;

/** Numbers of limits per request. */
const SIZES = [2, 3, 4, 5, 6];

/** The denying limit: by user, so that it denies only some requests. */
const TIGHT = 10;
const USERS = 60;
const PLENTY = 9000;
const HOUR_MS = 3_600_000;

/** By then, charges of a crashed node are refunded. */
const GONE_WITHIN_MS = 2000;
const GIVE_UP_MS = 20_000;
const HELD = 50;

const WIDE: readonly Rule[] = [
  { algorithm: 'fixed_window', limit: PLENTY, windowMs: HOUR_MS, alignment: 'first_request' },
  { algorithm: 'sliding_window_log', limit: PLENTY, windowMs: HOUR_MS },
  { algorithm: 'quota', limit: PLENTY, period: 'month' },
  { algorithm: 'fixed_window', limit: PLENTY, windowMs: 24 * HOUR_MS, alignment: 'first_request' },
  { algorithm: 'sliding_window_log', limit: PLENTY, windowMs: HOUR_MS / 2 },
];

const operationOf = (size: number) => `limits-${size}`;

/**
 * A strict limit by user, then generous ones; the second is on all tenants, in another slot of a cluster. None admits
 * anything without the store, which would be charged later, separately for each limit.
 */
function limitsOf(size: number): LimitPolicy[] {
  const operations = [operationOf(size)];
  const tight = limitBy(
    `l${size}-user`,
    { algorithm: 'sliding_window_log', limit: TIGHT, windowMs: HOUR_MS },
    { operations, onUnavailable: 'deny' },
  );
  const wide = WIDE.slice(0, size - 1).map((rule, i) =>
    limitBy(`l${size}-wide-${i}`, rule, {
      operations,
      onUnavailable: 'deny',
      per: i === 0 ? ['global'] : [],
    }),
  );
  return [tight, ...wide];
}

const LIMITS = [
  ...SIZES.flatMap(limitsOf),
  limitBy('hold', {
    algorithm: 'fixed_window',
    limit: PLENTY,
    windowMs: HOUR_MS,
    alignment: 'first_request',
  }),
];

/** Several limits are charged together or not at all, also if a node crashes. */
export const allOrNothing: Goal = {
  id: 'R7',
  title: 'several limits, all or nothing',
  passLine: `after kills, all limits of a request are charged alike; reservations of a crashed node refunded <= ${GONE_WITHIN_MS} ms`,
  seconds: 10,
  cluster: true,
  async run(options, report) {
    const { isolation, cluster } = options;
    const proxy = cluster || isolation === 'process' ? 'none' : 'own';
    // Nodes that share a process with their load are slower.
    const setup = { deadlineMs: isolation === 'process' ? 200 : 1000 };
    const testbed = await Testbed.open({ isolation, cluster, nodes: NODES, limits: LIMITS, proxy, setup });
    try {
      const kills = await underKills(testbed, options);
      await testbed.decidesByStore();
      for (const size of SIZES) await exhaust(testbed, size);
      const endedMs = performance.now();
      for (const size of SIZES) report(await compare(testbed, size, kills, endedMs, options));
      for (let crash = 0; crash < 3; crash++) report(await reservations(testbed, crash, options));
    } finally {
      await testbed.close();
    }
  },
};

async function underKills(testbed: Testbed, options: GoalOptions): Promise<number> {
  const endMs = performance.now() + options.seconds * 1000;
  let kills = 0;
  const mix = SIZES.map((size) => ({ operation: operationOf(size), users: USERS, weight: 1 }));
  const perSecond = (PER_SECOND * options.scale) / NODES;
  const loaded = (node: TestbedNode, seed: number): Promise<void> =>
    node.load({ seed, perSecond, ms: endMs - performance.now(), tenant: 'acme', mix, outcomes: 'none' }).then(
      () => undefined,
      // Its requests are lost with it.
      () => undefined,
    );
  const loads = testbed.nodes.map((node, i) => loaded(node, options.seed + i));
  const everyMs = Math.min(KILL_EVERY_MS, options.seconds * 500);
  while (performance.now() + everyMs < endMs) {
    await pause(everyMs);
    const [victim] = testbed.nodes;
    if (victim === undefined) break;
    await testbed.killNode(victim);
    kills++;
    loads.push(loaded(await testbed.addNode(), options.seed + 100 + kills));
  }
  await Promise.all(loads);
  return kills;
}

/** Exhausts the strict limit, so that it denies while the others allow, however slow the load was. */
async function exhaust(testbed: Testbed, size: number): Promise<void> {
  const endMs = performance.now() + GIVE_UP_MS;
  const isRefused = async () => {
    const outcomes = (await testbed.nodes[0]?.ask(requestsOf(size))) ?? [];
    return outcomes.every(({ success, degraded }) => !success && !degraded);
  };
  while (!(await isRefused())) {
    if (performance.now() > endMs) throw new Error(`${size} limits per request: nothing is denied`);
  }
}

/** Charges of each limit of the operation, once all agree or time is up. */
async function compare(
  testbed: Testbed,
  size: number,
  kills: number,
  endedMs: number,
  { isolation }: GoalOptions,
): Promise<Measurement> {
  let charges = await chargesOf(testbed, size);
  while (new Set(charges).size > 1 && performance.now() < endedMs + GIVE_UP_MS) {
    await pause(50);
    charges = await chargesOf(testbed, size);
  }
  const agreeAfterMs = performance.now() - endedMs;
  const failures = failing({
    [`charged differently: ${charges.join(', ')}`]: new Set(charges).size === 1,
    [`not alike after ${GONE_WITHIN_MS} ms`]: isolation === 'none' || agreeAfterMs <= GONE_WITHIN_MS,
    'nothing was denied': charges[0] === USERS * TIGHT,
  });
  return {
    name: `${size} limits per request`,
    numbers: { kills, charged: charges[0] ?? 0, agreeAfterMs },
    failures,
  };
}

/** From the remaining units; for the limit by user, the sum over the users. */
async function chargesOf(testbed: Testbed, size: number): Promise<number[]> {
  const [tight, ...wide] = limitsOf(size).map(({ name }) => name);
  const looks = (await testbed.nodes[0]?.ask(requestsOf(size), 'peek')) ?? [];
  const ofUsers = looks.reduce((sum, { left }) => sum + TIGHT - (left?.[tight ?? ''] ?? 0), 0);
  return [ofUsers, ...wide.map((name) => PLENTY - (looks[0]?.left?.[name] ?? 0))];
}

/** One request per user. */
function requestsOf(size: number) {
  return Array.from({ length: USERS }, (_, i) => ({
    tenant: 'acme',
    api: TESTBED_API,
    operation: operationOf(size),
    subject: { user: `u${i}` },
  }));
}

async function reservations(
  testbed: Testbed,
  crash: number,
  { isolation }: GoalOptions,
): Promise<Measurement> {
  const [victim, survivor] = testbed.nodes;
  if (victim === undefined || survivor === undefined) throw new Error('no node is left');
  const request = { tenant: 'acme', api: TESTBED_API, operation: 'hold', subject: { user: `u${crash}` } };
  const held = (await victim.ask(Array(HELD).fill(request), 'reserve')).filter(
    ({ success }) => success,
  ).length;
  const leftBefore = await left(survivor, request);
  await testbed.killNode(victim);
  const killedMs = performance.now();
  let leftAfter = await left(survivor, request);
  while (leftAfter < PLENTY && performance.now() < killedMs + GIVE_UP_MS) {
    await pause(20);
    leftAfter = await left(survivor, request);
  }
  const goneMs = performance.now() - killedMs;
  await testbed.addNode();
  const failures = failing({
    'not all were reserved': held === HELD && leftBefore === PLENTY - HELD,
    'still held': leftAfter === PLENTY,
    [`still reserved after ${GONE_WITHIN_MS} ms`]: isolation === 'none' || goneMs <= GONE_WITHIN_MS,
  });
  return { name: `reservations, crash ${crash + 1}`, numbers: { held, goneMs }, failures };
}

async function left(node: TestbedNode, request: Parameters<TestbedNode['ask']>[0][number]): Promise<number> {
  const [look] = await node.ask([request], 'peek');
  return look?.left?.hold ?? 0;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
