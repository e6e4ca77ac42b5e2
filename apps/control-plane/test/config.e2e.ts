import { randomFrom } from '@tollgate/test-kit/random';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from './support/test-app.js';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

const SHOP = {
  version: 1,
  apis: {
    shop: {
      name: 'Shop',
      operations: { buy: { cost: 2, priority: 'critical' }, sell: {} },
      pools: [{ name: 'main', capacity: 100 }],
      defaultLimits: [{ name: 'per-second', algorithm: 'fixed_window', limit: 50, window: '1s' }],
    },
  },
  tiers: {
    free: {
      name: 'Free',
      signUp: true,
      limits: [{ name: 'per-minute', api: 'shop', algorithm: 'gcra', limit: 60, window: '1m', burst: 5 }],
    },
  },
  tenants: { acme: { name: 'Acme', tier: 'free', timeZone: 'Europe/Berlin', tags: ['beta'] } },
};

const APPLY = `mutation($input: ConfigApplyInput!) { configApply(input: $input) {
  changeId impact { tenants } changes { action path fields { field before after } } userErrors { code field message } } }`;

async function apply(document: object, more: object = {}, on = app) {
  const { data, errors } = await on.graphql(APPLY, {
    input: { document: JSON.stringify(document), ...more },
  });
  expect(errors).toEqual([]);
  return data.configApply;
}

const pull = async (on = app) => JSON.parse((await on.graphql('{ configDocument }')).data.configDocument);
const steps = ({ changes }: { changes: { action: string; path: string }[] }) =>
  changes.map(({ action, path }) => `${action} ${path}`);

describe('a configuration', () => {
  it('returns the difference in a dry run and changes nothing', async () => {
    const tried = await apply(SHOP, { dryRun: true });
    expect(tried).toMatchObject({ userErrors: [], changeId: null });
    expect(steps(tried)).toEqual([
      'CREATE apis.shop',
      'CREATE apis.shop.operations.buy',
      'CREATE apis.shop.operations.sell',
      'CREATE apis.shop.pools.main',
      'UPDATE apis.shop.defaultLimits',
      'CREATE tiers.free',
      'UPDATE tiers.free.limits',
      'CREATE tenants.acme',
    ]);
    expect(await pull()).toEqual({ version: 1 });
  });

  it('is applied in one change, is exported as it was written, and then has no difference', async () => {
    const applied = await apply(SHOP);
    expect(applied).toMatchObject({ userErrors: [], changeId: expect.any(String) });
    expect(await pull()).toEqual(SHOP);
    expect(steps(await apply(await pull(), { dryRun: true }))).toEqual([]);
    const rows = await app.database.auditEntry.findMany({ where: { changeId: applied.changeId } });
    expect(rows.map(({ action }) => action)).toContain('tier.publish');
  });

  it('has no difference for another name of the same time zone', async () => {
    const tenants = { acme: { ...SHOP.tenants.acme, timeZone: 'asia/calcutta' } };
    await apply({ ...SHOP, tenants });
    expect((await pull()).tenants.acme.timeZone).toBe('Asia/Kolkata');
    expect(steps(await apply({ ...SHOP, tenants }, { dryRun: true }))).toEqual([]);
    await apply(SHOP);
  });

  it('protects the objects it names: other changes need force and a reason', async () => {
    const update = `mutation($input: TierUpdateInput!) { tierUpdate(input: $input) { tier { name managedBy } userErrors { code field } } }`;
    const { data } = await app.graphql(
      '{ tier(key: "free") { version managedBy } tenant(key: "acme") { managedBy } api(key: "shop") { managedBy } }',
    );
    expect([data.tier, data.tenant, data.api].map(({ managedBy }) => managedBy)).toEqual([
      'CONFIG',
      'CONFIG',
      'CONFIG',
    ]);
    const input = { tierKey: 'free', name: 'Renamed', expectedVersion: data.tier.version };
    const of = async (more: object) =>
      (await app.graphql(update, { input: { ...input, ...more } })).data.tierUpdate;
    expect((await of({})).userErrors).toEqual([{ code: 'MANAGED_BY_CONFIG', field: null }]);
    expect((await of({ force: true })).userErrors).toEqual([{ code: 'INVALID', field: ['reason'] }]);
    expect(await of({ force: true, reason: 'an incident' })).toMatchObject({
      userErrors: [],
      tier: { name: 'Renamed' },
    });
    expect((await apply(SHOP)).changes).toEqual([
      { action: 'UPDATE', path: 'tiers.free', fields: [{ field: 'name', before: 'Renamed', after: 'Free' }] },
    ]);
  });

  it.each<[string, (document: typeof SHOP & Record<string, unknown>) => void, string[], string]>([
    ['an unknown key', (d) => Object.assign(d.tiers.free, { color: 'red' }), ['tiers', 'free'], 'INVALID'],
    [
      'a wrong type',
      (d) => Object.assign(d.apis.shop.operations.buy, { cost: '2' }),
      ['apis', 'shop', 'operations', 'buy', 'cost'],
      'INVALID',
    ],
    [
      'an operation that is not there',
      (d) => Object.assign(d.tiers.free.limits[0] ?? {}, { operations: ['steal'] }),
      ['tiers', 'free', 'limits', '0', 'operations', '0'],
      'NOT_FOUND',
    ],
    [
      'a window without a unit',
      (d) => Object.assign(d.tiers.free.limits[0] ?? {}, { window: '60' }),
      ['tiers', 'free', 'limits', '0', 'window'],
      'INVALID',
    ],
    [
      'a deadline longer than a second',
      (d) => Object.assign(d.tiers.free.limits[0] ?? {}, { deadlineMs: 1001 }),
      ['tiers', 'free', 'limits', '0', 'deadlineMs'],
      'INVALID',
    ],
    [
      'a tier that is not there',
      (d) => Object.assign(d.tenants.acme, { tier: 'gold' }),
      ['tenants', 'acme', 'tier'],
      'NOT_FOUND',
    ],
  ])('with %s is rejected as a whole, with the path', async (_name, spoil, path, code) => {
    const document = structuredClone(SHOP) as typeof SHOP & Record<string, unknown>;
    Object.assign(document.apis, { other: { name: 'Other' } });
    spoil(document);
    const refused = await apply(document);
    expect(refused.userErrors).toContainEqual({
      code,
      field: ['document', ...path],
      message: expect.any(String),
    });
    expect((await pull()).apis).not.toHaveProperty('other');
  });

  it('is rejected when a newer revision exists', async () => {
    const refused = await apply(SHOP, { expectedRevision: 0 });
    expect(refused.userErrors).toMatchObject([{ code: 'CONFLICT', field: ['expectedRevision'] }]);
  });

  it('keeps unnamed objects on apply; deletes unnamed managed ones on sync', async () => {
    const { tenants: _tenants, ...rest } = structuredClone(SHOP);
    const { operations: extraOperations, defaultLimits } = rest.apis.shop;
    const extra = { name: 'Extra', tags: ['team-a'], operations: extraOperations, defaultLimits };
    const more = { ...rest, apis: { ...rest.apis, extra } };
    expect((await apply(more)).userErrors).toEqual([]);
    await app.graphql('mutation { apiCreate(input: { key: "byhand", name: "By hand" }) { api { key } } }');
    expect(steps(await apply(rest))).toEqual([]);
    expect(steps(await apply(rest, { mode: 'SYNC', selectTag: 'team-b' }))).toEqual([]);
    expect(steps(await apply(rest, { mode: 'SYNC', selectTag: 'team-a' }))).toEqual([
      'UPDATE apis.extra.defaultLimits',
      'DELETE apis.extra',
    ]);
    const { sell: _sell, ...operations } = rest.apis.shop.operations;
    const less = { ...rest, apis: { shop: { ...rest.apis.shop, operations } }, tiers: {} };
    expect(await apply(less, { mode: 'SYNC' })).toMatchObject({
      userErrors: [{ code: 'IN_USE', field: ['document', 'tiers', 'free'] }],
    });
    expect(Object.keys((await pull()).apis)).toEqual(['byhand', 'shop']);
    const pruned = await apply({ ...rest, apis: less.apis }, { mode: 'SYNC' });
    expect(steps(pruned)).toEqual(['DELETE apis.shop.operations.sell']);
  });
});

describe('exported from one installation and applied to another', () => {
  it('reproduces any catalogue', async () => {
    const seed = 20_261_121;
    const next = randomFrom(seed).below;
    for (let round = 0; round < 2; round++) {
      const [first, second] = [await startTestApp(), await startTestApp()];
      try {
        const document = randomDocument(next);
        expect((await apply(document, {}, first)).userErrors, `seed ${seed}, round ${round}`).toEqual([]);
        const pulled = await pull(first);
        expect((await apply(pulled, {}, second)).userErrors).toEqual([]);
        expect(await pull(second), `seed ${seed}, round ${round}`).toEqual(pulled);
        expect(steps(await apply(document, { dryRun: true }, second))).toEqual([]);
      } finally {
        await Promise.all([first.stop(), second.stop()]);
      }
    }
  });
});

function randomDocument(next: (below: number) => number) {
  const some = <T>(most: number, make: (index: number) => T) =>
    Array.from({ length: 1 + next(most) }, (_, i) => make(i));
  const WINDOWS = ['1s', '90s', '5m', '1h', '1d', '1500ms'];
  const rules = [
    (limit: number) => ({
      algorithm: 'fixed_window',
      limit,
      window: WINDOWS[next(6)],
      alignment: next(2) === 0 ? 'clock' : 'first_request',
      ...(next(2) === 0 ? { charge: 'on_failure', attemptTimeoutMs: 1000 * (1 + next(600)) } : {}),
    }),
    (limit: number) => ({
      algorithm: 'token_bucket',
      limit,
      window: '1m',
      capacity: limit + next(9),
      refill: 'continuous',
    }),
    (limit: number) => ({ algorithm: 'quota', limit, period: 'billing' }),
    (limit: number) => ({ algorithm: 'concurrency', limit, leaseMs: 1000 + next(5000) }),
    (limit: number) => ({
      algorithm: 'gcra',
      limit,
      window: '1m',
      burst: 9 + next(5),
      throttle: { mode: 'queue', maxDelayMs: 100 },
    }),
  ];
  const apis = Object.fromEntries(
    some(3, (i) => [
      `api-${i}`,
      {
        name: `API ${i}`,
        ...(next(2) === 0 ? {} : { unknownOperations: 'refuse', description: 'Some\nlines' }),
        ...[{}, { headerStyles: ['draft-3', 'x-ratelimit'] }, { headerStyles: 'none' }][next(3)],
        operations: Object.fromEntries(
          some(3, (o) => [`op${o}`, next(2) === 0 ? {} : { cost: 1 + next(3), priority: 'background' }]),
        ),
        pools: some(2, (p) => ({
          ...{ name: `pool-${p}`, capacity: 10 + next(90) },
          ...(next(2) === 0 ? {} : { warmUp: { ms: 1000 + next(9000), startPercent: 1 + next(99) } }),
        })),
      },
    ]),
  );
  const limitOf = (i: number) => ({
    name: `limit-${i}`,
    api: Object.keys(apis)[next(Object.keys(apis).length)],
    ...(next(2) === 0 ? {} : { per: ['user'], inHeaders: false }),
    ...(next(2) === 0 ? {} : { per: ['device'], onMissing: ['skip', 'refuse'][next(2)] }),
    ...(next(2) === 0 ? {} : { deadlineMs: 5 + next(996) }),
    ...rules[next(rules.length)]?.(20 + next(1000)),
    // In shadow no limit makes another one useless.
    enforcement: { mode: 'shadow' },
  });
  const tiers = Object.fromEntries(
    some(3, (i) => [`tier-${i}`, { name: `Tier ${i}`, rank: 1 + i, limits: some(4, limitOf) }]),
  );
  const overrideOf = (tier: string) => {
    const { api, name } = tiers[tier]?.limits[0] ?? {};
    return {
      api,
      limit: name,
      effect: { kind: 'add', units: 1 + next(9) },
      carryOver: 'reset',
      reason: 'Why not',
    };
  };
  const tenants = Object.fromEntries(
    some(3, (i) => {
      const tier = `tier-${next(Object.keys(tiers).length)}`;
      const more =
        next(2) === 0 ? {} : { overrides: [overrideOf(tier)], alerts: [{ percents: [10 + next(80)] }] };
      return [`tenant-${i}`, { name: `T ${i}`, tier, ...more }];
    }),
  );
  const offers = Object.fromEntries(
    some(2, (i) => [
      `offer-${i}`,
      {
        name: `Offer ${i}`,
        price: 100 + next(900),
        currency: 'EUR',
        ...(next(2) === 0
          ? { kind: 'upgrade', interval: 'year', graceDays: next(5) }
          : { kind: 'topup', validDays: 1 + next(90), status: 'draft', stock: 5 }),
        effects: [{ appliesTo: 'rate', effect: { kind: 'multiply', percent: 150 } }],
      },
    ]),
  );
  return { version: 1, apis, tiers, offers, tenants };
}

describe('an object of the console that a configuration names', () => {
  const OVERRIDE = `mutation($input: OverrideSetInput!) { overrideSet(input: $input) { userErrors { message } } }`;
  const ALERT = `mutation($input: AlertThresholdSetInput!) { alertThresholdSet(input: $input) { userErrors { message } } }`;
  const MANAGED = `{ api(key: "kiosk") { managedBy } tenant(key: "kiosk") { managedBy }
    overrides(tenantKey: "kiosk") { nodes { managedBy } } }`;

  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp();
  });
  afterAll(() => app.stop());

  const adopted = (headers: Record<string, string>, document: object, dryRun = false) =>
    app
      .graphql(APPLY, { input: { document: JSON.stringify(document), dryRun } }, headers)
      .then(({ data }) => data.configApply);

  it('is adopted by a recorded change, with the permission to change it', async () => {
    expect((await apply(SHOP, {}, app)).userErrors).toEqual([]);
    await app.graphql('mutation { apiCreate(input: { key: "kiosk", name: "Kiosk" }) { api { key } } }');
    await app.graphql(
      'mutation { tenantCreate(input: { key: "kiosk", name: "Kiosk", tierKey: "free" }) { changeId } }',
    );
    const override = { effect: { kind: 'SET', limit: 7 }, apiKey: 'shop', limit: 'per-minute' };
    const { version } = (await app.graphql('{ tenant(key: "kiosk") { version } }')).data.tenant;
    const set = { tenantKey: 'kiosk', expectedVersion: version, reason: 'Pilot', ...override };
    expect((await app.graphql(OVERRIDE, { input: set })).data.overrideSet.userErrors).toEqual([]);
    const alert = { tenantKey: 'kiosk', percents: [50] };
    expect((await app.graphql(ALERT, { input: alert })).data.alertThresholdSet.userErrors).toEqual([]);
    const { apis, tenants } = await pull(app);
    const document = { version: 1, apis: { kiosk: apis.kiosk }, tenants: { kiosk: tenants.kiosk } };

    const configOnly = await app.bearer(['config:read', 'config:write']);
    expect(await adopted(configOnly, document)).toMatchObject({
      changes: [],
      userErrors: [{ code: 'INVALID', field: ['document', 'apis', 'kiosk'] }],
    });
    const inConsole = { managedBy: 'CONSOLE' };
    expect((await app.graphql(MANAGED)).data).toEqual({
      api: inConsole,
      tenant: inConsole,
      overrides: { nodes: [inConsole] },
    });
    const withoutParts = await app.bearer(['config:write', 'apis:write', 'tenants:write']);
    expect(await adopted(withoutParts, document)).toMatchObject({
      userErrors: [{ message: 'You need the permission overrides:write for all tenants.' }],
    });

    const all = await app.bearer(['config']);
    const expected = [
      'ADOPT apis.kiosk',
      'ADOPT tenants.kiosk',
      'ADOPT tenants.kiosk.overrides.shop/per-minute/',
      'ADOPT tenants.kiosk.alerts.//',
    ];
    expect(steps(await adopted(all, document, true))).toEqual(expected);
    const applied = await adopted(all, document);
    expect(steps(applied)).toEqual(expected);
    const entries = await app.database.auditEntry.findMany({ where: { changeId: applied.changeId } });
    expect(entries.map(({ action, after }) => [action, after])).toEqual(
      expect.arrayContaining(
        ['api.adopt', 'tenant.adopt', 'override.adopt', 'alertThresholds.adopt'].map((action) => [
          action,
          { managedBy: 'CONFIG' },
        ]),
      ),
    );
    expect((await adopted(configOnly, document)).userErrors).toEqual([]);
    expect((await adopted(configOnly, document)).changes).toEqual([]);
  });
});
