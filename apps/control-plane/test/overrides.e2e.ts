import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EndedOverridesJob } from '../src/features/customers/index.js';
import { adjustmentsOf, HOUR_MS, inMs, perMinute } from './support/adjustment-calls.js';
import { createPolicy } from './support/policy-factory.js';
import { startTestApp, type TestApp } from './support/test-app.js';

let app: TestApp;
const { mutate, tenant, effective } = adjustmentsOf(() => app);

beforeAll(async () => {
  app = await startTestApp({ WORKER: 'inline' });
  await createPolicy(app);
});
afterAll(() => app?.stop());

describe('overrides and boosts', () => {
  it('sets a limit for one tenant, by default until it is removed', async () => {
    const set = await mutate('overrideSet', {
      ...(await tenant()),
      ...perMinute,
      effect: { kind: 'SET', limit: 40 },
      reason: 'Launch week',
    });
    expect(set.userErrors).toEqual([]);
    expect(set.changeId).not.toBeNull();
    expect(set.override).toMatchObject({
      kind: 'OVERRIDE',
      status: 'ACTIVE',
      limit: 'per-minute',
      reason: 'Launch week',
      effect: { kind: 'SET', limit: 40, percent: null },
      tenant: { key: 'acme' },
    });
    expect(set.override.endsAt).toBeNull();
    expect(await effective()).toMatchObject({
      limit: { limit: 40 },
      tierLimit: 10,
      source: 'OVERRIDE',
      provenance: [{ source: 'OVERRIDE', adjustmentId: set.override.id, from: 10, to: 40, until: null }],
    });
    const removed = await mutate('overrideRemove', { overrideId: set.override.id, reason: 'Over' });
    expect(removed.override.status).toBe('REMOVED');
    expect(await effective()).toMatchObject({ limit: { limit: 10 }, source: 'TIER', provenance: [] });
    const again = await mutate('overrideRemove', { overrideId: set.override.id, reason: 'Over' });
    expect(again.userErrors).toMatchObject([{ code: 'INVALID', field: ['overrideId'] }]);
  });

  it('replaces an override for the same limit', async () => {
    const set = async (limit: number) =>
      mutate('overrideSet', {
        ...(await tenant()),
        ...perMinute,
        effect: { kind: 'SET', limit },
        expiresAt: null,
        reason: 'Contract',
      });
    await set(50);
    const second = await set(60);
    expect(second.override.endsAt).toBeNull();
    expect(await effective()).toMatchObject({ limit: { limit: 60 } });
    const { data } = await app.graphql(
      '{ overrides(tenantKey: "acme", live: true) { totalCount nodes { status effect { limit } } } }',
    );
    expect(data.overrides).toEqual({ totalCount: 1, nodes: [{ status: 'ACTIVE', effect: { limit: 60 } }] });
    await mutate('overrideRemove', { overrideId: second.override.id, reason: 'Over' });
  });

  it('starts one boost at a time and ends it early', async () => {
    const start = async (more: object = {}) =>
      mutate('boostStart', {
        ...(await tenant()),
        ...perMinute,
        effect: { kind: 'MULTIPLY', percent: 300 },
        endsAt: inMs(HOUR_MS),
        reason: 'Their launch',
        ...more,
      });
    const { override } = await start();
    expect(await effective()).toMatchObject({ limit: { limit: 30 }, source: 'BOOST' });
    expect((await start()).userErrors).toMatchObject([{ code: 'TAKEN', field: ['limit'] }]);
    expect((await mutate('boostEnd', { boostId: override.id, reason: 'Over' })).override.status).toBe(
      'REMOVED',
    );
    expect(await effective()).toMatchObject({ limit: { limit: 10 }, source: 'TIER' });
  });

  it('limits boosts to 72 hours for support and 30 days for admins; denies overrides to support', async () => {
    const support = await app.signIn('SUPPORT');
    const boost = async (hours: number, headers?: Record<string, string>) =>
      mutate(
        'boostStart',
        {
          ...(await tenant()),
          ...perMinute,
          effect: { kind: 'ADD', units: 5 },
          endsAt: inMs(hours * HOUR_MS),
          reason: 'Help',
        },
        headers,
      );
    expect((await boost(73, support)).userErrors).toMatchObject([{ code: 'INVALID', field: ['endsAt'] }]);
    expect((await boost(31 * 24)).userErrors).toMatchObject([{ code: 'INVALID', field: ['endsAt'] }]);
    const { override, userErrors } = await boost(71, support);
    expect(userErrors).toEqual([]);
    await mutate('boostEnd', { boostId: override.id, reason: 'Over' }, support);
    const query =
      'mutation($input: OverrideSetInput!) { overrideSet(input: $input) { userErrors { code } } }';
    const input = { ...(await tenant()), ...perMinute, effect: { kind: 'SET', limit: 1 }, reason: 'x' };
    const { errors } = await app.graphql(query, { input }, support);
    expect(errors[0]?.extensions.code).toBe('FORBIDDEN');
  });

  it('sends one notice when an override expires', async () => {
    const { override } = await mutate('boostStart', {
      ...(await tenant()),
      ...perMinute,
      effect: { kind: 'ADD', units: 5 },
      endsAt: inMs(HOUR_MS),
      reason: 'Help',
    });
    await app.database.override.update({
      where: { id: override.id },
      data: { endsAt: new Date(Date.now() - 1000) },
    });
    const job = app.app.get(EndedOverridesJob, { strict: false });
    await job.run();
    await job.run();
    const notices = await app.database.notice.findMany({ where: { kind: 'boost.ended' } });
    expect(notices).toMatchObject([
      { tenantKey: 'acme', data: { overrideId: override.id, limit: 'per-minute' } },
    ]);
  });

  it.each<[string, object, string, string[]]>([
    ['without a reason', { reason: ' ' }, 'INVALID', ['reason']],
    ['that would have ended', { expiresAt: '2020-01-01T00:00:00Z' }, 'INVALID', ['expiresAt']],
    ['that would have begun', { startsAt: '2020-01-01T00:00:00Z' }, 'INVALID', ['startsAt']],
    ['of an API without limits', { apiKey: 'blog' }, 'NOT_FOUND', ['apiKey']],
    ['of an unknown limit', { limit: 'per-hour' }, 'NOT_FOUND', ['limit']],
    ['of a limit without its API', { apiKey: null }, 'INVALID', ['apiKey']],
    ['that changes no limit', { effect: { kind: 'SET', limit: 10 } }, 'INVALID', ['effect']],
    [
      'with a number of another algorithm',
      { effect: { kind: 'SET', limit: 20, burst: 2 } },
      'INVALID',
      ['effect', 'burst'],
    ],
    [
      'with a number of another kind',
      { effect: { kind: 'ADD', units: 1, percent: 2 } },
      'INVALID',
      ['effect', 'percent'],
    ],
    ['with nothing to add', { effect: { kind: 'ADD' } }, 'INVALID', ['effect', 'units']],
    [
      'of quotas, where there are none',
      { limit: null, appliesTo: 'QUOTA', effect: { kind: 'ADD', units: 1 } },
      'INVALID',
      ['appliesTo'],
    ],
    ['by one who has not seen the last change', { expectedVersion: 0 }, 'CONFLICT', ['expectedVersion']],
    ['of a tenant that there is not', { tenantKey: 'nobody' }, 'NOT_FOUND', ['tenantKey']],
  ])('rejects an override %s and changes nothing', async (_what, over, code, field) => {
    const before = await app.database.override.count();
    const { userErrors } = await mutate('overrideSet', {
      ...(await tenant()),
      ...perMinute,
      effect: { kind: 'SET', limit: 40 },
      reason: 'Launch',
      ...over,
    });
    expect(userErrors).toMatchObject([{ code, field }]);
    expect(userErrors[0]?.message).toMatch(/\.$|[a-z)]$/);
    expect(await app.database.override.count()).toBe(before);
  });

  it('reports the affected tenant in a dry run and changes nothing', async () => {
    const before = await app.database.override.count();
    const { impact, userErrors } = await mutate('overrideSet', {
      ...(await tenant()),
      ...perMinute,
      effect: { kind: 'SET', limit: 4 },
      reason: 'Try',
      dryRun: true,
    });
    expect({ impact, userErrors }).toEqual({ impact: { increased: 0, decreased: 1 }, userErrors: [] });
    expect(await app.database.override.count()).toBe(before);
  });
});

describe('overrideLint', () => {
  const LINT = `query($after: String) { overrideLint(tenantKey: "lint", after: $after) {
    endCursor findings { severity code message advice override { id } } } }`;
  const lint = async (headers?: Record<string, string>) =>
    (await app.graphql(LINT, {}, headers)).data?.overrideLint;

  it('reports expired overrides, those without a matching limit and those without effect; no others', async () => {
    const input = { key: 'lint', name: 'Lint', tierKey: 'basic' };
    await app.graphql('mutation($input: TenantCreateInput!) { tenantCreate(input: $input) { changeId } }', {
      input,
    });
    const { id: tenantId } = await app.database.tenant.findUniqueOrThrow({ where: { key: 'lint' } });
    const ago = (ms: number) => new Date(Date.now() - ms);
    const add = (id: string, limitName: string, limit: number, endsAt: Date | null) =>
      app.database.override.create({
        data: {
          id: `ovr_${id.padStart(32, '0')}`,
          tenantId,
          kind: 'OVERRIDE',
          apiKey: 'shop',
          limitName,
          effect: { kind: 'set', limit },
          reason: 'A test',
          startsAt: ago(2 * HOUR_MS),
          endsAt,
          carryOver: 'KEEP',
          createdBy: 'test',
          createdAt: ago(2 * HOUR_MS),
        },
      });
    await add('1', 'per-minute', 40, ago(HOUR_MS));
    await add('2', 'per-minute', 41, ago(1000 * HOUR_MS));
    await add('3', 'gone', 40, null);
    await add('4', 'per-minute', 10, null);
    await add('5', 'per-minute', 99, null);
    const { findings, endCursor } = await lint();
    expect(endCursor).toBeNull();
    expect(
      findings.map(
        ({ code, severity, override }: { code: string; severity: string; override: { id: string } }) => [
          override.id.slice(-1),
          code,
          severity,
        ],
      ),
    ).toEqual([
      ['4', 'CHANGES_NOTHING', 'WARNING'],
      ['3', 'NEVER_APPLIES', 'WARNING'],
      ['1', 'EXPIRED', 'INFO'],
    ]);
    expect(findings[1].message).toContain('limit "gone" of API "shop"');
  });

  it('continues after a cursor, and hides overrides of other tenants', async () => {
    const after = 'nonsense';
    expect((await app.graphql(LINT, { after })).errors[0]?.extensions.code).toBe('BAD_USER_INPUT');
    const { id } = await app.database.tenant.findUniqueOrThrow({ where: { key: 'acme' } });
    const stranger = await app.signInMember(id, 'OWNER');
    const { errors } = await app.graphql(LINT, {}, stranger);
    expect(errors[0]?.extensions.code).toBe('NOT_FOUND');
  });
});
