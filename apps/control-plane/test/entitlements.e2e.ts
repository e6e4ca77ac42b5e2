import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adjustmentsOf, HOUR_MS, inMs, perMinute } from './support/adjustment-calls.js';
import { signInPerson } from './support/people.js';
import { createPolicy } from './support/policy-factory.js';
import { startTestApp, type TestApp } from './support/test-app.js';

let app: TestApp;
let buyer: Record<string, string>;
const { mutate, tenant, effective } = adjustmentsOf(() => app);

beforeAll(async () => {
  app = await startTestApp();
  await createPolicy(app);
  buyer = (await signInPerson(app, { members: { acme: 'BUYER' } })).headers;
});
afterAll(() => app?.stop());

describe('entitlements without a purchase', () => {
  it('are granted with several effects, listed, and revoked with a reason', async () => {
    const granted = await mutate('entitlementGrant', {
      ...(await tenant()),
      source: 'UPGRADE',
      label: 'Goodwill',
      effects: [
        { ...perMinute, effect: { kind: 'ADD', units: 5 } },
        { effect: { kind: 'MULTIPLY', percent: 200 } },
      ],
      endsAt: inMs(HOUR_MS),
    });
    expect(granted.userErrors).toEqual([]);
    expect(granted.entitlements).toMatchObject([
      { source: 'UPGRADE', cause: 'GRANT', inForce: true, effect: { kind: 'ADD', units: 5 } },
      { apiKey: null, limit: null, effect: { kind: 'MULTIPLY', percent: 200 } },
    ]);
    // 10 × 200 % + 5.
    expect(await effective('acme', buyer)).toMatchObject({ limit: { limit: 25 }, source: 'UPGRADE' });
    for (const { id } of granted.entitlements) {
      const { entitlements } = await mutate('entitlementRevoke', { entitlementId: id, reason: 'A mistake' });
      expect(entitlements).toMatchObject([{ id, inForce: false, ends: [{ cause: 'REVOKED' }] }]);
    }
    expect(await effective()).toMatchObject({ limit: { limit: 10 }, source: 'TIER' });
    const list = '{ entitlements(tenantKey: "acme") { totalCount nodes { label ends { cause actor } } } }';
    const { data } = await app.graphql(list, {}, buyer);
    expect(data.entitlements.totalCount).toBe(2);
    const live = await app.graphql('{ entitlements(live: true) { totalCount } }');
    expect(live.data.entitlements.totalCount).toBe(0);
  });

  it.each<[string, object, string[]]>([
    [
      'to a number',
      { effects: [{ ...perMinute, effect: { kind: 'SET', limit: 5 } }] },
      ['effects', '0', 'effect', 'kind'],
    ],
    [
      'to less',
      { effects: [{ effect: { kind: 'MULTIPLY', percent: 50 } }] },
      ['effects', '0', 'effect', 'percent'],
    ],
    ['of nothing', { effects: [] }, ['effects']],
    ['that has ended', { endsAt: '2020-01-01T00:00:00Z' }, ['endsAt']],
  ])('rejects an entitlement %s', async (_what, over, field) => {
    const input = {
      ...(await tenant()),
      source: 'TOPUP',
      label: 'More',
      effects: [{ effect: { kind: 'ADD', units: 5 } }],
      ...over,
    };
    expect((await mutate('entitlementGrant', input)).userErrors).toMatchObject([{ code: 'INVALID', field }]);
  });
});

describe('quota requests', () => {
  const ask = (wanted = 100, headers = buyer) =>
    mutate('quotaRequestCreate', { tenantKey: 'acme', ...perMinute, wanted, why: 'We grow' }, headers);
  const decide = (mutation: string, { id, version }: { id: string; version: number }, more: object) =>
    mutate(mutation, { requestId: id, expectedVersion: version, ...more });

  it('raises the limit to the offered one when the tenant accepts a counter-offer', async () => {
    const { request } = await ask();
    expect(request).toMatchObject({ status: 'OPEN', current: 10, wanted: 100, tenant: { key: 'acme' } });
    expect((await ask()).userErrors).toMatchObject([{ code: 'TAKEN', field: ['limit'] }]);
    const countered = await decide('quotaRequestCounter', request, { offered: 50, answer: 'For now' });
    expect(countered.request).toMatchObject({ status: 'COUNTERED', offered: 50, answer: 'For now' });
    const own = { tenantKey: 'acme', requestId: request.id, expectedVersion: countered.request.version };
    const stranger = (await signInPerson(app, { members: {} })).headers;
    const query =
      'mutation($input: QuotaRequestOwnInput!) { quotaRequestAccept(input: $input) { userErrors { code } } }';
    expect((await app.graphql(query, { input: own }, stranger)).errors[0]?.extensions.code).toBe('NOT_FOUND');
    const { request: accepted, userErrors } = await mutate('quotaRequestAccept', own, buyer);
    expect(userErrors).toEqual([]);
    expect(accepted).toMatchObject({ status: 'APPROVED', offered: 50 });
    expect(await effective()).toMatchObject({ limit: { limit: 50 }, source: 'OVERRIDE' });
    await mutate('overrideRemove', { overrideId: accepted.grantedId, reason: 'Over' });
  });

  it('adds the difference when approved as an entitlement', async () => {
    const { request } = await ask(25);
    const approved = await decide('quotaRequestApprove', request, {
      as: 'ENTITLEMENT',
      expiresAt: inMs(HOUR_MS),
    });
    expect(approved.request).toMatchObject({ status: 'APPROVED', offered: 25 });
    expect(await effective()).toMatchObject({ limit: { limit: 25 }, source: 'TOPUP' });
    await mutate('entitlementRevoke', { entitlementId: approved.request.grantedId, reason: 'Over' });
  });

  it('allows no further step after a request is declined or withdrawn', async () => {
    const { request } = await ask();
    const declined = await decide('quotaRequestDecline', request, { answer: 'Too much' });
    expect(declined.request).toMatchObject({ status: 'DECLINED', answer: 'Too much' });
    const late = await decide('quotaRequestApprove', declined.request, {});
    expect(late.userErrors).toMatchObject([{ code: 'INVALID', field: ['requestId'] }]);
    expect((await decide('quotaRequestApprove', request, {})).userErrors).toMatchObject([
      { code: 'CONFLICT' },
    ]);
    const { request: second } = await ask();
    const own = { tenantKey: 'acme', requestId: second.id, expectedVersion: second.version };
    expect((await mutate('quotaRequestWithdraw', own, buyer)).request.status).toBe('WITHDRAWN');
    const { data } = await app.graphql('{ quotaRequests(status: WITHDRAWN) { totalCount nodes { why } } }');
    expect(data.quotaRequests).toEqual({ totalCount: 1, nodes: [{ why: 'We grow' }] });
  });

  it('sends a notice for each step', async () => {
    const rows = await app.database.notice.findMany({ where: { kind: { startsWith: 'quota_request.' } } });
    expect([...new Set(rows.map(({ kind }) => kind))].sort()).toEqual([
      'quota_request.accepted',
      'quota_request.approved',
      'quota_request.countered',
      'quota_request.created',
      'quota_request.declined',
      'quota_request.withdrawn',
    ]);
  });

  it('rejects a request at or below the current limit, or for an unknown limit', async () => {
    expect((await ask(10)).userErrors).toMatchObject([{ code: 'INVALID', field: ['wanted'] }]);
    const input = { tenantKey: 'acme', apiKey: 'shop', limit: 'nothing', wanted: 5, why: 'x' };
    expect((await mutate('quotaRequestCreate', input, buyer)).userErrors).toMatchObject([
      { code: 'NOT_FOUND', field: ['limit'] },
    ]);
  });
});
