import { describe, expect, it } from 'vitest';
import { compiled, fixedWindowPolicy } from '../../test/policies.js';
import { storeSuite } from '../../test/store-suite.js';
import { MemoryStore } from './memory-store.js';

describe('memory store', () => {
  const store = new MemoryStore();
  storeSuite(() => store);

  it('evicts only the least recently used counter beyond its bound', () => {
    const bounded = new MemoryStore({ maxKeys: 2 });
    const { policy } = compiled(fixedWindowPolicy({ limit: 5, windowMs: 3_600_000 }));
    for (const key of ['a', 'b', 'a', 'c'])
      bounded.chargeNow({ checks: [{ key, policy, cost: 1 }], peek: false });
    expect(bounded.stateOf('b')).toBeUndefined();
    expect(bounded.stateOf('a')).toMatchObject({ count: 2 });
  });
});
