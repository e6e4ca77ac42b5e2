import type { UsageFrame } from '@tollgate/contracts';
import { expect, it } from 'vitest';
import { TenantTicks } from './usage-tick.resolver.js';

type Row = UsageFrame['rows'][number];

function frame(rows: Partial<Row>[]): UsageFrame {
  const row = {
    tenant: 'acme',
    api: 'shop',
    operation: 'buy',
    limit: null,
    outcome: 'allowed' as const,
    minute: 1,
    count: 1,
    units: 1,
  };
  return { nodeId: 'n', epoch: 'e', sequence: 1, atMs: 0, rows: rows.map((more) => ({ ...row, ...more })) };
}

it("sums one tenant's decisions by API and resets at each tick", () => {
  const ticks = new TenantTicks('acme');
  ticks.add(
    frame([
      { count: 3 },
      { outcome: 'denied' },
      { tenant: 'rival', count: 99 },
      { api: 'bank', outcome: 'pool_denied', count: 2 },
    ]),
  );
  ticks.add(frame([{ count: 4 }]));
  expect(ticks.take(new Date(1000))).toEqual({
    at: new Date(1000),
    allowed: 7,
    denied: 3,
    apis: [
      { apiKey: 'bank', allowed: 0, denied: 2 },
      { apiKey: 'shop', allowed: 7, denied: 1 },
    ],
  });
  expect(ticks.take(new Date(2000))).toMatchObject({ allowed: 0, denied: 0, apis: [] });
});
