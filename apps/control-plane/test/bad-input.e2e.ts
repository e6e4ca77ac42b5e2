import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeBadDrafts } from './bad-input/drafts-suite.js';
import { describeBadNames } from './bad-input/names-suite.js';
import { createPolicy } from './support/policy-factory.js';
import { startTestApp, type TestApp } from './support/test-app.js';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
  await createPolicy(app);
});
afterAll(() => app.stop());

describeBadDrafts(() => app);
describeBadNames(() => app);

describe('references and the rest', () => {
  it.each([
    ['operationCreate(input: { apiKey: "nowhere", name: "x", expectedVersion: 1 })', 'NOT_FOUND', 'apiKey'],
    ['operationCreate(input: { apiKey: "shop", name: "x", cost: 0, expectedVersion: 3 })', 'INVALID', 'cost'],
    [
      'operationCreate(input: { apiKey: "shop", name: "x", cost: 1000000001, expectedVersion: 3 })',
      'INVALID',
      'cost',
    ],
    ['operationCreate(input: { apiKey: "shop", name: "1x", expectedVersion: 3 })', 'INVALID', 'name'],
    [
      'operationCreate(input: { apiKey: "shop", name: "x", expectedVersion: 1 })',
      'CONFLICT',
      'expectedVersion',
    ],
    ['tierPublish(input: { tierKey: "nowhere", expectedVersion: 1 })', 'NOT_FOUND', 'tierKey'],
    ['tierDraftDiscard(input: { tierKey: "basic", expectedVersion: 99 })', 'CONFLICT', 'expectedVersion'],
    ['tenantCreate(input: { key: "x", name: "X", tierKey: "nowhere" })', 'NOT_FOUND', 'tierKey'],
    [
      'tenantCreate(input: { key: "x", name: "X", tierKey: "basic", timeZone: "Mars/Olympus" })',
      'INVALID',
      'timeZone',
    ],
    [
      'tenantCreate(input: { key: "x", name: "X", tierKey: "basic", timeZone: "+02:00" })',
      'INVALID',
      'timeZone',
    ],
    [
      'tenantTierChange(input: { tenantKey: "acme", tierKey: "nowhere", expectedVersion: 1 })',
      'NOT_FOUND',
      'tierKey',
    ],
    ['tenantSuspend(input: { tenantKey: "nowhere", expectedVersion: 1 })', 'NOT_FOUND', 'tenantKey'],
    [
      'tenantTierChange(input: { tenantKey: "acme", tierKey: "basic", pinnedVersion: 7, expectedVersion: 1 })',
      'NOT_FOUND',
      'pinnedVersion',
    ],
    ['tenantUpdate(input: { tenantKey: "nowhere", expectedVersion: 1 })', 'NOT_FOUND', 'tenantKey'],
    ['tenantUpdate(input: { tenantKey: "acme", expectedVersion: 9 })', 'CONFLICT', 'expectedVersion'],
    [
      'tenantUpdate(input: { tenantKey: "acme", timeZone: "Mars/Olympus", expectedVersion: 1 })',
      'INVALID',
      'timeZone',
    ],
    [
      'tenantUpdate(input: { tenantKey: "acme", billingAnchorDay: 32, expectedVersion: 1 })',
      'INVALID',
      'billingAnchorDay',
    ],
    [
      'tenantCreate(input: { key: "x", name: "X", tierKey: "basic", billingAnchorDay: 0 })',
      'INVALID',
      'billingAnchorDay',
    ],
    ['tierUpdate(input: { tierKey: "basic", weight: 1001, expectedVersion: 1 })', 'INVALID', 'weight'],
    ['tierUpdate(input: { tierKey: "basic", expectedVersion: 1 })', 'CONFLICT', 'expectedVersion'],
    ['operationUpdate(input: { apiKey: "shop", name: "steal", expectedVersion: 3 })', 'NOT_FOUND', 'name'],
    [
      'operationUpdate(input: { apiKey: "shop", name: "buy", cost: 0, expectedVersion: 3 })',
      'INVALID',
      'cost',
    ],
    ['tierCreate(input: { key: "x", name: "X", weight: 0 })', 'INVALID', 'weight'],
    ['tierCreate(input: { key: "x", name: "X", weight: 1001 })', 'INVALID', 'weight'],
    [
      'poolCreate(input: { apiKey: "nowhere", name: "x", capacity: 1, expectedVersion: 1 })',
      'NOT_FOUND',
      'apiKey',
    ],
    [
      'poolCreate(input: { apiKey: "shop", name: "x", capacity: 0, expectedVersion: 3 })',
      'INVALID',
      'capacity',
    ],
    ['poolUpdate(input: { apiKey: "shop", name: "x", expectedVersion: 3 })', 'NOT_FOUND', 'name'],
    ['poolDelete(input: { apiKey: "shop", name: "x", expectedVersion: 3 })', 'NOT_FOUND', 'name'],
    ['poolDelete(input: { apiKey: "shop", name: "x", expectedVersion: 1 })', 'CONFLICT', 'expectedVersion'],
    ['tenantResume(input: { tenantKey: "acme", expectedVersion: 1 })', 'INVALID', 'tenantKey'],
    ['serviceTokenCreate(input: { name: "x", scopes: [] })', 'INVALID', 'scopes'],
    ['serviceTokenCreate(input: { name: "x", scopes: ["root"] })', 'INVALID', 'scopes.0'],
    [
      'serviceTokenCreate(input: { name: "x", scopes: ["decide"], expiresAt: "2001-01-01T00:00:00Z" })',
      'INVALID',
      'expiresAt',
    ],
    ['serviceTokenRevoke(input: { id: "nonsense" })', 'NOT_FOUND', 'id'],
  ])('%s is %s', async (mutation, code, field) => {
    const { data, errors } = await app.graphql(
      `mutation { result: ${mutation} { userErrors { code field } } }`,
    );
    expect(errors).toEqual([]);
    expect(data.result.userErrors).toEqual([{ code, field: field.split('.') }]);
  });

  it('a tenant cannot be created on a tier without a published version', async () => {
    await app.graphql('mutation { tierCreate(input: { key: "empty", name: "Empty" }) { tier { id } } }');
    const { data } = await app.graphql(
      'mutation { tenantCreate(input: { key: "x", name: "X", tierKey: "empty" }) { userErrors { code field } } }',
    );
    expect(data.tenantCreate.userErrors).toEqual([{ code: 'INVALID', field: ['tierKey'] }]);
  });

  it('an input with __proto__ or an unknown field is rejected', async () => {
    const query = 'mutation($input: ApiCreateInput!) { apiCreate(input: $input) { api { id } } }';
    const response = await fetch(`${app.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(await app.bearer(['admin'])) },
      body: `{"query":${JSON.stringify(query)},"variables":{"input":{"key":"p","name":"P","__proto__":{"isAdmin":true}}}}`,
    });
    expect(response.status).toBe(400);
    expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
    const unknown = await app.graphql(query, { input: { key: 'p', name: 'P', id: 'api_1' } });
    expect(unknown.errors[0]?.message).toMatch(/"id" is not defined/);
  });

  it('null is replaced by the default', async () => {
    const { data } =
      await app.graphql(`mutation { apiCreate(input: { key: "nulls", name: "N", description: null,
      unknownOperations: null }) { api { description unknownOperations } userErrors { code } } }`);
    expect(data.apiCreate).toEqual({ api: { description: '', unknownOperations: 'COUNT' }, userErrors: [] });
  });
});
