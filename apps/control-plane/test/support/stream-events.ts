import type { UsageFrame } from '@tollgate/contracts';
import { Redis } from 'ioredis';
import { ChangeRunner } from '../../src/platform/changes/change.js';
import { CALLER, type TestApp } from './test-app.js';

let sequence = 0;

/** Reports decisions as a node does that receives no acknowledgement: twice. */
export async function reportDecisions(
  { redisUrl }: TestApp,
  tenant: string,
  outcome: UsageFrame['rows'][number]['outcome'],
  count: number,
): Promise<void> {
  sequence += 1;
  const minute = Math.floor(Date.now() / 60_000);
  const decided = { tenant, api: 'shop', operation: 'buy', limit: null, outcome, minute };
  const row = { ...decided, count, units: count };
  const frame: UsageFrame = { nodeId: 'n1', epoch: 'e1', sequence, atMs: Date.now(), rows: [row] };
  const redis = new Redis(redisUrl);
  for (let i = 0; i < 2; i++) await redis.xadd('tg:usage', '*', 'frame', JSON.stringify(frame));
  redis.disconnect();
}

/** Adds a notice for a tenant's members and for operators. */
export async function addNotice({ app, database }: TestApp, tenantKey: string): Promise<void> {
  const { id } = await database.tenant.findUniqueOrThrow({ where: { key: tenantKey } });
  await app.get(ChangeRunner, { strict: false }).run(CALLER, { reason: null }, async (change) => {
    await change.notify({
      kind: 'limit.reached',
      tenant: { id, key: tenantKey },
      data: { what: tenantKey },
    });
    return 'notified';
  });
}
