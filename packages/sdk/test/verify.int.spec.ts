import { WAIT_LIMIT_MS } from '@tollgate/test-kit';
import { describe, expect, it } from 'vitest';
import type { LimitRequest } from '../src/index.js';
import { type Failure, useShopFront } from './shop-front.js';

const front = useShopFront();
const request = { tenant: 'acme', api: 'shop', operation: 'checkout' };
const patience = { timeoutMs: WAIT_LIMIT_MS };

describe('verify', () => {
  it('passes for a valid configuration, and charges nothing', async () => {
    const client = front.client();
    const subject = { client: front.someone() };
    await client.verify(undefined, patience);
    await client.verify(request, patience); // its limit counts by user, which each request provides
    await client.verify({ ...request, operation: 'search', subject }, patience);
    expect((await client.peek({ ...request, operation: 'search', subject })).remaining).toBe(3);
  });

  const WRONG: [Failure, Partial<LimitRequest> | undefined, string, RegExp][] = [
    ['wrong token', undefined, 'token', /Option "token": .*create a new one/],
    ['revoked token', undefined, 'token', /Option "token": .*revoked/],
    ['unknown tenant', { tenant: 'nobody' }, 'tenant', /Option "tenant" "nobody".*create the tenant/],
    ['unreachable', undefined, 'url', /Check "url" \(usually TOLLGATE_URL\)/],
    ['status 500', undefined, 'url', /did not answer: answered with status 500/],
  ];
  it.each(WRONG)(
    'names the option to correct when Tollgate fails with: %s',
    async (failure, over, option, message) => {
      const { client } = front.failing(failure, { onFault: 'allow', onUnavailable: 'allow' });
      const verified = client.verify(over && ({ ...request, ...over } as LimitRequest), patience);
      await expect(verified).rejects.toMatchObject({ name: 'TollgateConfigError', option });
      await expect(verified).rejects.toThrow(message);
    },
  );

  it('times out if the server does not respond', async () => {
    const verified = front.failing('slow').client.verify(undefined, { timeoutMs: 50 });
    await expect(verified).rejects.toMatchObject({
      option: 'url',
      message: expect.stringContaining('within 50 ms'),
    });
  });

  it('rejects an operation that no limit covers', async () => {
    const verified = front.client().verify({ ...request, operation: 'chekout' }, patience);
    await expect(verified).rejects.toThrow('No limit covers operation "chekout" of API "shop"');
  });
});
