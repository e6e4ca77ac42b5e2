import { setTimeout as delay } from 'node:timers/promises';
import type { DecisionPlane } from '@tollgate/decision-plane';
import {
  ApisService,
  CatalogueModule,
  TiersService,
} from '../../../apps/control-plane/src/features/catalogue/index.js';
import { CustomersModule, TenantsService } from '../../../apps/control-plane/src/features/customers/index.js';
import {
  DistributionModule,
  RelayService,
} from '../../../apps/control-plane/src/features/distribution/index.js';
import { ImpactModule, RevisionsModule } from '../../../apps/control-plane/src/features/governance/index.js';
import { SYSTEM_ACTOR } from '../../../apps/control-plane/src/platform/access/actor.js';
import { Database } from '../../../apps/control-plane/src/platform/prisma/database.js';
import { until } from '../../until.ts';
import { ChaosStack } from './chaos-stack.ts';

export const API = 'shop';
export const OPERATION = 'buy';
export const CALLER = { actor: SYSTEM_ACTOR, requestId: 'req_chaos' };
const REQUEST = { tenant: 'acme', api: API, operation: OPERATION };
const TICK_MS = 20;

/** Counts of decisions under load. */
export interface LoadCounts {
  admitted: number;
  denied: number;
  thrown: number;
  degraded: number;
}

/** A stack with one API, one tier with one limit, one tenant, and nodes. */
export interface PolicyStack
  extends Pick<ChaosStack, 'context' | 'redisUrl' | 'signingKey' | 'startNode' | 'stop'> {
  readonly nodes: readonly DecisionPlane[];
  /** Publishes the tier with another limit to Redis. */
  publishLimit(limit: number): Promise<void>;
  /** Resolves when every node decides by this limit. */
  inForce(limit: number): Promise<void>;
  newestRevision(): Promise<number>;
  /** Units that the tenant has used of its limit. */
  used(): Promise<number>;
  /** Sends requests to the nodes in turn at a fixed rate. @returns a function that stops it and returns the counts */
  load(perSecond: number): () => Promise<LoadCounts>;
}

export async function openPolicyStack(options: { nodes: number; limit: number }): Promise<PolicyStack> {
  const modules = [DistributionModule, CatalogueModule, CustomersModule, RevisionsModule, ImpactModule];
  const stack = await ChaosStack.open(modules);
  const service = <T>(of: abstract new (...args: never[]) => T): T =>
    stack.context.get(of, { strict: false });
  const nodes = await Promise.all(
    Array.from({ length: options.nodes }, (_, i) => stack.startNode(`node-${i}`)),
  );
  const publishLimit = async (limit: number) => {
    await publishTier(service(TiersService), limit);
    await service(RelayService).run();
  };
  const inForce = (limit: number) =>
    until(
      `a limit of ${limit} is in force`,
      async () => (await Promise.all(nodes.map((node) => limitOf(node)))).every((one) => one === limit),
      { everyMs: 5 },
    ).then(() => undefined);
  await service(ApisService).create(CALLER, { key: API, name: 'Shop' });
  await service(ApisService).createOperation(CALLER, { apiKey: API, name: OPERATION, expectedVersion: 1 });
  await service(TiersService).create(CALLER, { key: 'basic', name: 'Basic' });
  await publishLimit(options.limit);
  await service(TenantsService).create(CALLER, { key: 'acme', name: 'Acme', tierKey: 'basic' });
  await service(RelayService).run();
  await inForce(options.limit);
  return {
    context: stack.context,
    redisUrl: stack.redisUrl,
    signingKey: stack.signingKey,
    nodes,
    startNode: (nodeId) => stack.startNode(nodeId),
    publishLimit,
    inForce,
    newestRevision: async () => {
      const { client } = service(Database);
      return (await client.policyRevision.findFirstOrThrow({ orderBy: { number: 'desc' } })).number;
    },
    used: () => usedOf(nodes),
    load: (perSecond) => startLoad(nodes, perSecond),
    stop: async () => {
      await Promise.all(nodes.map((node) => node.close()));
      await stack.stop();
    },
  };
}

async function publishTier(tiers: TiersService, limit: number): Promise<void> {
  const version = async () => (await tiers.findByKey('basic'))?.version ?? 0;
  const rule = { name: 'per-hour', apiKey: API, operations: [], per: [], algorithm: 'FIXED_WINDOW' as const };
  const limits = [{ ...rule, limit, windowMs: 3_600_000, alignment: 'FIRST_REQUEST' as const }];
  await tiers.saveDraft(CALLER, { tierKey: 'basic', expectedVersion: await version(), limits });
  const outcome = await tiers.publish(CALLER, { tierKey: 'basic', expectedVersion: await version() });
  if (!outcome.ok) throw new Error(outcome.errors[0]?.message);
}

async function limitOf(node: DecisionPlane): Promise<number | null | undefined> {
  return (await node.peek(REQUEST).catch(() => undefined))?.limit;
}

/** Reads the store: a node knows only its own usage. */
async function usedOf([node]: readonly DecisionPlane[]): Promise<number> {
  let used = 0;
  await until('the store reports usage', async () => {
    const look = await node?.peek(REQUEST);
    used = look?.used ?? 0;
    return look?.degraded === false;
  });
  return used;
}

function startLoad(nodes: readonly DecisionPlane[], perSecond: number): () => Promise<LoadCounts> {
  const counts: LoadCounts = { admitted: 0, denied: 0, thrown: 0, degraded: 0 };
  let isLoading = true;
  const ask = async (node: DecisionPlane) => {
    try {
      const { success, degraded } = await node.limit(REQUEST);
      if (success) counts.admitted++;
      else counts.denied++;
      if (degraded) counts.degraded++;
    } catch {
      counts.thrown++;
    }
  };
  const running = (async () => {
    let asking: Promise<void>[] = [];
    while (isLoading) {
      const some = Array.from({ length: (perSecond * TICK_MS) / 1000 }, (_, i) => nodes[i % nodes.length]);
      asking.push(...some.flatMap((node) => (node === undefined ? [] : [ask(node)])));
      await delay(TICK_MS);
      if (asking.length > perSecond) {
        await Promise.all(asking);
        asking = [];
      }
    }
    await Promise.all(asking);
  })();
  return async () => {
    isLoading = false;
    await running;
    return counts;
  };
}
