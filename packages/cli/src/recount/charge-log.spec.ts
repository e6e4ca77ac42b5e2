import { describe, expect, it } from 'vitest';
import { type Charge, ChargeLog } from './charge-log.js';

function charge(over: Partial<Charge>): Charge {
  return {
    limit: 'minute',
    client: '203.0.113.9',
    revision: 7,
    limitMax: 10,
    windowMs: 60_000,
    cost: 1,
    sentMs: 1_760_000_000_000,
    receivedMs: 1_760_000_000_004,
    resetMs: 1_760_000_040_000,
    ...over,
  };
}

describe('charge log', () => {
  it('returns the added charges, grouped by counter and in order, beyond the initial capacity', () => {
    const log = new ChargeLog();
    const added = Array.from({ length: 5000 }, (_, i) =>
      charge({ client: `client-${i % 3}`, limit: i % 2 === 0 ? 'minute' : 'hour', cost: i }),
    );
    for (const entry of added) log.add(entry);
    expect(log.size).toBe(5000);
    const groups = [...log.groups('client')];
    expect(groups).toHaveLength(6);
    for (const group of groups) {
      const [first] = group;
      const expected = added.filter(({ client, limit }) => client === first?.client && limit === first.limit);
      expect(group).toEqual(expected);
    }
  });

  it('groups all clients of a limit that counts by tenant', () => {
    const log = new ChargeLog();
    log.add(charge({ client: 'a' }));
    log.add(charge({ client: 'b', limit: 'hour' }));
    log.add(charge({ client: 'c' }));
    const groups = [...log.groups('tenant')].map((group) => group.map(({ client }) => client));
    expect(groups).toEqual([['a', 'c'], ['b']]);
  });
});
