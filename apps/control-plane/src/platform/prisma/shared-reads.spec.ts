import type { Prisma } from '@tollgate/database';
import { afterEach, expect, it, vi } from 'vitest';
import { SharedReads } from './shared-reads.js';

afterEach(() => vi.useRealTimers());

it('a read does not wait for a slow one of its request, but opens another transaction', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  let transactions = 0;
  const reads = new SharedReads((_scope, work) =>
    work({ number: ++transactions } as unknown as Prisma.TransactionClient),
  );
  const request = {};
  const slow = Promise.withResolvers<string>();
  const first = reads.run(request, 'all', () => slow.promise);
  const second = reads.run(request, 'all', () => Promise.resolve(transactions));
  await vi.advanceTimersByTimeAsync(249);
  expect(transactions).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(await second).toBe(2);
  slow.resolve('late');
  expect(await first).toBe('late');
});
