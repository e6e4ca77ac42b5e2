import type { TestApp } from './test-app.js';

const MONTHLY = {
  ...{ name: 'monthly', apiKey: 'shop', operations: [], per: [] },
  ...{ algorithm: 'QUOTA', limit: 1000, period: 'MONTH' },
};

/** A tenant with 1,000 units per month, on a separate tier. */
export async function createMeteredTenant(app: TestApp, key: string): Promise<void> {
  const send = async (name: string, type: string, input: object) => {
    const query = `mutation($input: ${type}!) { result: ${name}(input: $input) { userErrors { message } } }`;
    const { data, errors } = await app.graphql(query, { input });
    const [problem] = [...errors, ...(data?.result.userErrors ?? [])];
    if (problem !== undefined) throw new Error(problem.message);
  };
  const tierKey = `${key}-tier`;
  await send('tierCreate', 'TierCreateInput', { key: tierKey, name: tierKey });
  await send('tierDraftSave', 'TierDraftSaveInput', { tierKey, expectedVersion: 1, limits: [MONTHLY] });
  await send('tierPublish', 'TierPublishInput', { tierKey, expectedVersion: 2 });
  await send('tenantCreate', 'TenantCreateInput', { key, name: key, tierKey });
}

/** Stores what nodes report of the monthly quota. */
export async function reportUsage(app: TestApp, tenantKey: string, used: number): Promise<void> {
  const { id: tenantId } = await app.database.tenant.findUniqueOrThrow({ where: { key: tenantKey } });
  const now = new Date();
  const at = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1));
  const row = { tenantId, api: 'shop', limitName: 'monthly', at };
  const values = { isQuota: true, used, capacity: 1000, denied: 0, peakAt: now };
  await app.database.limitPeak.upsert({
    where: { tenantId_api_limitName_at: row },
    create: { ...row, ...values },
    update: values,
  });
}
