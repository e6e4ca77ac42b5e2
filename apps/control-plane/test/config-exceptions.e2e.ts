import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from './support/test-app.js';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

const DOUBLE = {
  name: 'Twice as much',
  kind: 'upgrade',
  price: 4900,
  currency: 'EUR',
  interval: 'month',
  tiers: ['free'],
  effects: [{ api: 'shop', effect: { kind: 'multiply', percent: 200 } }],
};
const PACK = {
  name: 'Pack',
  kind: 'topup',
  status: 'draft',
  price: 900,
  currency: 'EUR',
  validDays: 30,
  maxQuantity: 3,
  effects: [{ api: 'shop', limit: 'per-day', appliesTo: 'quota', effect: { kind: 'add', units: 500 } }],
};
const RAISED = {
  api: 'shop',
  limit: 'per-minute',
  effect: { kind: 'set', limit: 90 },
  expires: '2090-01-01T00:00:00.000Z',
  reason: 'Moves its data',
};
const ALERT = { api: 'shop', percents: [50, 90] };
const DENIED = {
  dimension: 'ip',
  pattern: '203.0.113.0/24',
  effect: { kind: 'deny', message: 'Ask us.' },
  expires: '2999-01-01T00:00:00.000Z',
  reason: 'Attacks',
};
const EXEMPT = { dimension: 'key', pattern: 'monitor-*', effect: { kind: 'exempt' }, reason: 'Monitoring' };
const ACME = { name: 'Acme', tier: 'free', overrides: [RAISED], alerts: [ALERT], subjectRules: [DENIED] };
const ALL = {
  version: 1,
  apis: { shop: { name: 'Shop', operations: { buy: {} } } },
  tiers: {
    free: {
      name: 'Free',
      limits: [
        {
          name: 'per-minute',
          api: 'shop',
          algorithm: 'fixed_window',
          limit: 60,
          window: '1m',
        },
        { name: 'per-day', api: 'shop', algorithm: 'quota', limit: 1000, period: 'day' },
      ],
    },
  },
  offers: { double: DOUBLE, pack: PACK },
  tenants: { acme: ACME },
  subjectRules: [DENIED, EXEMPT],
};

const APPLY = `mutation($input: ConfigApplyInput!) { configApply(input: $input) {
  changeId impact { tenants increased } changes { action path } userErrors { code field message } } }`;

async function apply(document: object, more: object = {}) {
  const { data, errors } = await app.graphql(APPLY, {
    input: { document: JSON.stringify(document), ...more },
  });
  expect(errors).toEqual([]);
  return data.configApply;
}

const pull = async () => JSON.parse((await app.graphql('{ configDocument }')).data.configDocument);
const steps = ({ changes }: { changes: { action: string; path: string }[] }) =>
  changes.map(({ action, path }) => `${action} ${path}`);
/** The pack is archived at this point. */
const NOW = { ...ALL, offers: { double: DOUBLE } };
const withTenant = (tenant: object) => ({ ...NOW, tenants: { acme: { ...ACME, ...tenant } } });
const withOffers = (offers: object) => ({ ...NOW, offers: { ...NOW.offers, ...offers } });

describe('a configuration of offers, overrides and thresholds', () => {
  it('is applied in one change, is exported as written, and then has no difference', async () => {
    const applied = await apply(ALL);
    expect(applied.userErrors).toEqual([]);
    expect(steps(applied).slice(-8)).toEqual([
      'CREATE offers.double',
      'CREATE offers.pack',
      'CREATE tenants.acme',
      'CREATE tenants.acme.overrides.0',
      'CREATE tenants.acme.alerts.0',
      'CREATE tenants.acme.subjectRules.0',
      'CREATE subjectRules.0',
      'CREATE subjectRules.1',
    ]);
    expect(await pull()).toEqual(ALL);
    expect(steps(await apply(await pull(), { dryRun: true }))).toEqual([]);
    const { data } =
      await app.graphql(`{ tenant(key: "acme") { effectiveLimits { limit { name limit } source } }
      offers { nodes { key status managedBy } } }`);
    expect(data.offers.nodes).toEqual([
      { key: 'double', status: 'ACTIVE', managedBy: 'CONFIG' },
      { key: 'pack', status: 'DRAFT', managedBy: 'CONFIG' },
    ]);
    expect(data.tenant.effectiveLimits).toContainEqual({
      limit: { name: 'per-minute', limit: 90 },
      source: 'OVERRIDE',
    });
  });

  it('manages its objects: other changes require force and a reason, and the next apply reverts them', async () => {
    const { data } = await app.graphql(`{ offer(key: "double") { version } tenant(key: "acme") { version }
      overrides(tenantKey: "acme") { nodes { id managedBy } } alertThresholds(tenantKey: "acme") { id managedBy } }`);
    const [override] = data.overrides.nodes;
    const [threshold] = data.alertThresholds;
    expect([override.managedBy, threshold.managedBy]).toEqual(['CONFIG', 'CONFIG']);
    const calls: [string, string, object][] = [
      [
        'offerUpdate',
        'OfferUpdateInput',
        { offerKey: 'double', priceMinor: 1, expectedVersion: data.offer.version },
      ],
      ['offerArchive', 'OfferChangeInput', { offerKey: 'double', expectedVersion: data.offer.version }],
      ['overrideRemove', 'OverrideRemoveInput', { overrideId: override.id, reason: 'An incident' }],
      [
        'overrideSet',
        'OverrideSetInput',
        {
          tenantKey: 'acme',
          expectedVersion: data.tenant.version,
          apiKey: 'shop',
          limit: 'per-minute',
          effect: { kind: 'SET', limit: 70 },
          reason: 'An incident',
        },
      ],
      ['alertThresholdRemove', 'AlertThresholdRemoveInput', { tenantKey: 'acme', id: threshold.id }],
      ['alertThresholdSet', 'AlertThresholdSetInput', { tenantKey: 'acme', apiKey: 'shop', percents: [10] }],
    ];
    const call = async ([name, type, input]: (typeof calls)[number], more: object = {}) => {
      const text = `mutation($input: ${type}!) { ${name}(input: $input) { userErrors { code } } }`;
      return (await app.graphql(text, { input: { ...input, ...more } })).data[name].userErrors;
    };
    for (const one of calls) expect(await call(one), one[0]).toEqual([{ code: 'MANAGED_BY_CONFIG' }]);
    for (const [index, one] of calls.entries()) {
      // Applying the others would end objects that the next configuration cannot restore.
      if (index > 0 && index < 4) continue;
      expect(await call(one, { force: true, reason: 'An incident' }), one[0]).toEqual([]);
    }
    expect(steps(await apply(ALL))).toEqual([
      'UPDATE offers.double',
      'UPDATE tenants.acme.alerts.0',
      // The console set these thresholds, so they are taken over.
      'ADOPT tenants.acme.alerts.shop//',
    ]);
    expect(await pull()).toEqual(ALL);
  });

  it('leaves other objects unchanged; with sync, ends objects that it no longer contains', async () => {
    await app.graphql(
      `mutation { alertThresholdSet(input: { tenantKey: "acme", percents: [60] }) { userErrors { code } } }`,
    );
    const less = { ...withTenant({ overrides: [], alerts: [], subjectRules: [] }), subjectRules: [EXEMPT] };
    expect(steps(await apply(less))).toEqual([]);
    expect(steps(await apply(less, { mode: 'SYNC', selectTag: 'other' }))).toEqual([]);
    expect(steps(await apply(less, { mode: 'SYNC' }))).toEqual([
      'DELETE tenants.acme.overrides.shop/per-minute/',
      'DELETE tenants.acme.alerts.shop//',
      'DELETE tenants.acme.subjectRules.//ip 203.0.113.0/24',
      'DELETE subjectRules.//ip 203.0.113.0/24',
      'ARCHIVE offers.pack',
    ]);
    expect(await pull()).toEqual({
      ...less,
      tenants: { acme: { name: 'Acme', tier: 'free', alerts: [{ percents: [60] }] } },
    });
    expect(steps(await apply(less, { mode: 'SYNC' }))).toEqual([]);
  });

  it.each<[string, object, string[], string]>([
    [
      'an offer of another kind',
      withOffers({ double: { ...DOUBLE, currency: 'USD' } }),
      ['offers', 'double', 'currency'],
      'The currency of an offer cannot change from eur.',
    ],
    [
      'an offer that was archived and is to be sold again',
      withOffers({ pack: { ...PACK, status: 'active' } }),
      ['offers', 'pack', 'status'],
      'archived',
    ],
    [
      'a top-up that never expires',
      withOffers({ more: { ...PACK, validDays: undefined } }),
      ['offers', 'more', 'validDays'],
      'expires',
    ],
    [
      'an override in the past',
      withTenant({ overrides: [{ ...RAISED, expires: '2020-01-01T00:00:00Z' }] }),
      ['tenants', 'acme', 'overrides', '0', 'expires'],
      'in the past',
    ],
    [
      'an override of an unknown limit',
      withTenant({ overrides: [{ ...RAISED, limit: 'per-year' }] }),
      ['tenants', 'acme', 'overrides', '0', 'limit'],
      'per-year',
    ],
    [
      'two overrides of one limit',
      withTenant({ overrides: [RAISED, RAISED] }),
      ['tenants', 'acme', 'overrides', '1'],
      'Duplicate entry',
    ],
    [
      'an override without a reason',
      withTenant({ overrides: [{ ...RAISED, reason: '' }] }),
      ['tenants', 'acme', 'overrides', '0', 'reason'],
      'Explain why',
    ],
    [
      'a rule for all tenants with an invalid network',
      { ...NOW, subjectRules: [{ ...DENIED, pattern: '10.0.0.1/8' }] },
      ['subjectRules', '0', 'pattern'],
      '10.0.0.0/8',
    ],
    [
      'a rule for all tenants that changes a limit',
      { ...NOW, subjectRules: [{ ...EXEMPT, effect: { kind: 'set', limit: 5 } }] },
      ['subjectRules', '0', 'effect', 'kind'],
      '',
    ],
    [
      'two rules for the same subjects of all tenants',
      { ...NOW, subjectRules: [EXEMPT, EXEMPT] },
      ['subjectRules', '1'],
      'Duplicate entry',
    ],
    [
      'a threshold of nothing',
      withTenant({ alerts: [{ limit: 'per-minute', percents: [50] }] }),
      ['tenants', 'acme', 'alerts', '0', 'api'],
      'apiKey',
    ],
  ])('with %s is rejected as a whole, with the position', async (_name, document, path, words) => {
    const before = await pull();
    const refused = await apply(document);
    expect(refused.userErrors).toContainEqual({
      code: expect.any(String),
      field: ['document', ...path],
      message: expect.stringContaining(words),
    });
    expect(await pull()).toEqual(before);
  });
});
