import type { TestApp } from './test-app.js';

/** A GraphQL limit input. */
export const LIMIT = {
  name: 'per-minute',
  apiKey: 'shop',
  operations: [] as string[],
  per: [] as string[],
  algorithm: 'FIXED_WINDOW',
  limit: 10,
  windowMs: 60_000,
};

export const SAVE_DRAFT = `mutation($input: TierDraftSaveInput!) {
  tierDraftSave(input: $input) { tier { version draft { number limits { name } } } userErrors { code field message } }
}`;

export const PUBLISH = `mutation($input: TierPublishInput!) {
  tierPublish(input: $input) { changeId tier { version published { number } } userErrors { code field message } }
}`;

/** Creates API `shop` with `buy` and `sell`, tier `basic` published with {@link LIMIT}, tenant `acme` on it. */
export async function createPolicy(app: TestApp): Promise<void> {
  const create = async (mutation: string) => {
    const { data, errors } = await app.graphql(`mutation { result: ${mutation} { userErrors { message } } }`);
    const problems = [...errors, ...(data?.result.userErrors ?? [])];
    if (problems.length > 0) throw new Error(problems[0]?.message);
  };
  await create('apiCreate(input: { key: "shop", name: "Shop" })');
  await create('operationCreate(input: { apiKey: "shop", name: "buy", expectedVersion: 1 })');
  await create('operationCreate(input: { apiKey: "shop", name: "sell", expectedVersion: 2 })');
  await create('tierCreate(input: { key: "basic", name: "Basic" })');
  await app.graphql(SAVE_DRAFT, { input: { tierKey: 'basic', expectedVersion: 1, limits: [LIMIT] } });
  await create('tierPublish(input: { tierKey: "basic", expectedVersion: 2 })');
  await create('tenantCreate(input: { key: "acme", name: "Acme", tierKey: "basic" })');
}

/** The current version of a tier or tenant. */
export async function versionOf(
  app: TestApp,
  field: 'tier' | 'tenant' | 'api',
  key: string,
): Promise<number> {
  const { data } = await app.graphql(`query($key: String!) { ${field}(key: $key) { version } }`, { key });
  return data[field].version;
}
