import type { LimitPolicy, TenantRecord } from '@tollgate/contracts';
import { type DecisionStore, StoreTime } from '@tollgate/limiter/stores';
import { CompiledCatalogue } from '@tollgate/policy';
import { Engine } from '../../../packages/decision-plane/src/decide/engine.js';
import type { TrafficRecorder } from '../../../packages/decision-plane/src/usage/traffic-recorder.js';
import { UsageRows } from '../../../packages/decision-plane/src/usage/usage-aggregator.js';

const TIER = 'bench';

/**
 * An engine over `store` with `tenants` tenants on `limits`, all in memory; usage is aggregated as in a running node.
 */
export function engineOver(
  store: DecisionStore,
  limits: readonly LimitPolicy[],
  tenants: number,
  traffic?: TrafficRecorder,
): Engine {
  const catalogue = CompiledCatalogue.compile(
    JSON.stringify({
      kind: 'catalogue',
      revision: 1,
      apis: [...new Set(limits.map(({ api }) => api))].map((key) => ({
        key,
        unknownOperations: 'allow',
        operations: [{ name: 'createURL', cost: 1 }],
      })),
      tiers: [{ key: TIER, currentVersion: 1, versions: [{ number: 1, limits }] }],
      serviceTokens: [],
    }),
  );
  const records = new Map(Array.from({ length: tenants }, (_, n) => [`tenant-${n}`, tenant(`tenant-${n}`)]));
  const rows = new UsageRows();
  const time = new StoreTime({ servers: [() => Date.now() * 1000] });
  time.refresh();
  return new Engine({
    nodeId: 'bench',
    epoch: 'bench',
    store,
    exchangePool: () => Promise.reject(new Error('no pools in benchmarks')),
    policies: {
      catalogue,
      revision: 1,
      version: 1,
      staleFromMs: Number.POSITIVE_INFINITY,
      findTenant: (key) => records.get(key) ?? null,
      loadTenant: (key) => Promise.resolve(records.get(key) ?? null),
      refresh: () => Promise.resolve(),
    },
    usage: {
      tally: (of, api, operation, limit) => rows.tally(of, api, operation, limit),
      addCrossings: () => undefined,
    },
    ...(traffic && { traffic }),
    nodes: () => 1,
    nowMs: time.nowMs,
    onReply: () => undefined,
    onBudgetSpent: () => undefined,
    onError: (message, error) => console.error(message, error),
    keysPerTenant: Number.MAX_SAFE_INTEGER,
  });
}

function tenant(key: string): TenantRecord {
  return { kind: 'tenant', revision: 1, tenant: key, status: 'active', tier: TIER, pinnedVersion: null };
}
