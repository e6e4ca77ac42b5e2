import { WAIT_LIMIT_MS } from '@tollgate/test-kit';
import { expect, it } from 'vitest';
import { startTestApp } from '../../../apps/control-plane/test/support/test-app.js';
import { deliverToFailingReceivers } from './webhooks-reach-failing-receivers.ts';

it('C13: 12 events reach seven receivers that fail in different ways, and every attempt is signed', async () => {
  const app = await startTestApp({ WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8', WEBHOOK_TIMEOUT_MS: '500' });
  try {
    const result = await deliverToFailingReceivers({
      ownerUrl: app.ownerUrl,
      graphql: (query, variables) => app.graphql(query, variables),
      events: 12,
      timeoutMs: WAIT_LIMIT_MS,
    });
    console.log(result.numbers);
    expect(result.failures).toEqual([]);
  } finally {
    await app.stop();
  }
});
