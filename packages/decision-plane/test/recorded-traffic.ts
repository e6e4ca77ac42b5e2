import type { ApiRecord, LimitPolicy, TenantRecord } from '@tollgate/contracts';
import { decodeBlock, type ReplayPolicy, type TrafficBlock } from '@tollgate/replay';
import { type RecorderOptions, TrafficRecorder } from '../src/usage/traffic-recorder.js';

export const SITE: ApiRecord = {
  key: 'site',
  unknownOperations: 'count',
  operations: [
    { name: 'read', cost: 1 },
    { name: 'write', cost: 3 },
  ],
};

/** A second API of the same tenants. */
export const FILES: ApiRecord = {
  key: 'files',
  unknownOperations: 'count',
  operations: [{ name: 'read', cost: 2 }],
};

export function tenantOf(tenant: string, over: Partial<TenantRecord> = {}): TenantRecord {
  return {
    kind: 'tenant',
    revision: 1,
    tenant,
    status: 'active',
    tier: 'test',
    pinnedVersion: null,
    ...over,
  };
}

/** A policy in which all tenants have the same limits on the APIs `site` and `files`. */
export function sitePolicy(limits: readonly LimitPolicy[], tenants = ['acme']): ReplayPolicy {
  const versions = [{ number: 1, limits }];
  return {
    revision: 1,
    catalogueText: JSON.stringify({
      kind: 'catalogue',
      revision: 1,
      apis: [SITE, FILES],
      tiers: [{ key: 'test', currentVersion: 1, versions }],
      serviceTokens: [],
    }),
    tenants: tenants.map((tenant) => tenantOf(tenant)),
  };
}

/** Records the decisions of an engine that gets `traffic`; `blocks` returns those since its last call. */
export function recordingTraffic(
  nodeId: string,
  options: Partial<RecorderOptions> = {},
): { traffic: TrafficRecorder; blocks: () => Promise<TrafficBlock[]> } {
  const written: TrafficBlock[] = [];
  const traffic = new TrafficRecorder({
    nodeId,
    epoch: 'e1',
    maxBlockRows: 100,
    write: async (block) => void written.push(decodeBlock(block)),
    onError: (message, error) => {
      throw new Error(message, { cause: error });
    },
    ...options,
  });
  const blocks = async () => {
    await traffic.flush();
    return written.splice(0);
  };
  return { traffic, blocks };
}

/** In the order of their first decision, as a replay expects them. */
export function inOrder(blocks: readonly TrafficBlock[]): TrafficBlock[] {
  return [...blocks].sort((a, b) => (a.atUs[0] ?? 0) - (b.atUs[0] ?? 0));
}
