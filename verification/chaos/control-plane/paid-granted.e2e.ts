import { createPrismaClient } from '@tollgate/database';
import { randomFrom } from '@tollgate/test-kit/random';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { orderPurchases } from '../../../apps/control-plane/test/support/ordered-purchases.js';
import { startTestApp, type TestApp } from '../../../apps/control-plane/test/support/test-app.js';
import { auditStorm } from './payment-audit.ts';
import { runStorm } from './payment-storm.ts';

const PURCHASES = 36;

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({ PAYMENT_TEST_ENABLED: 'true' });
});
afterAll(() => app.stop());

it(`C1: ${PURCHASES} purchases end in the expected state in every order of events`, async () => {
  const { test } = app.config.payments;
  const owner = createPrismaClient(app.ownerUrl, { max: 2 });
  try {
    const random = randomFrom(inject('testSeed'));
    const report = await runStorm({
      url: app.url,
      webhookSecret: test.enabled ? test.webhookSecret : '',
      purchases: await orderPurchases(owner, PURCHASES, random),
      random,
    });
    expect(report.deliveries).toBeGreaterThan(report.events);
    expect(await auditStorm(owner, report)).toMatchObject({ failures: [] });
  } finally {
    await owner.$disconnect();
  }
});
