import type { UsageFrame, UsageRow } from '@tollgate/contracts';
import type { PrismaClient } from '@tollgate/database';
import { newId } from '../../src/platform/ids.js';

/** Minutes since the Unix epoch. */
export const minuteAt = (at: string | number | Date) => Math.floor(new Date(at).getTime() / 60_000);

/** A usage row, by default of one decision of `acme` now. */
export function usageRow(more: Partial<UsageRow> = {}): UsageRow {
  return {
    tenant: 'acme',
    api: 'shop',
    operation: 'buy',
    limit: 'per-minute',
    outcome: 'allowed',
    minute: minuteAt(Date.now()),
    count: 1,
    units: 1,
    ...more,
  };
}

/** A frame of node `n1` in epoch `e1`. */
export function usageFrame(sequence: number, rows: UsageRow[], more: Partial<UsageFrame> = {}): UsageFrame {
  return { nodeId: 'n1', epoch: 'e1', sequence, atMs: Date.now(), rows, ...more };
}

/** Creates tenants with these keys and time zones, without subscriptions. Returns their ids by key. */
export async function createTenants(
  database: PrismaClient,
  zones: Record<string, string>,
): Promise<Record<string, string>> {
  const ids: Record<string, string> = {};
  for (const [key, timeZone] of Object.entries(zones)) {
    const id = newId('tenant');
    await database.tenant.create({ data: { id, key, name: key, timeZone } });
    ids[key] = id;
  }
  return ids;
}
