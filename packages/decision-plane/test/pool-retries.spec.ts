import type { ApiRecord } from '@tollgate/contracts';
import { describe, expect, it } from 'vitest';
import { create, LIMIT, OutageNode, perUser } from './outage-node.js';

describe('exhausted pool', () => {
  const pooled = (capacity: number): ApiRecord => ({
    key: 'url-shortener',
    unknownOperations: 'allow',
    operations: [{ name: 'createURL', cost: 1 }],
    pools: [{ name: 'writes', operations: [], capacity, reclaimPercent: 100 }],
  });

  it('answers a retry of a charged request like the first time, and denies new ones; a peek counts nothing', async () => {
    const node = new OutageNode({ limits: [perUser], apis: [pooled(5)] });
    const subject = { user: 'u0' };
    const ask = (requestId: string) => node.engine.limit({ ...create, subject, requestId });
    for (let i = 0; i < 5; i++) {
      expect((await node.engine.peek({ ...create, subject })).reason).toBe('WITHIN_LIMIT');
      expect(await ask(`id-${i}`)).toMatchObject({ success: true });
    }
    expect(await ask('new')).toMatchObject({ success: false, reason: 'POOL_EXHAUSTED' });
    for (let i = 0; i < 5; i++)
      expect(await ask(`id-${i}`)).toMatchObject({ success: true, remaining: 99 - i });
    expect(await node.engine.peek({ ...create, subject })).toMatchObject({ reason: 'POOL_EXHAUSTED' });
    node.clock.advanceMs(5000);
    expect(await ask('new')).toMatchObject({ success: true, remaining: LIMIT - 6 });
    await node.engine.close();
  });
});
