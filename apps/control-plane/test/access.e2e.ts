import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Person, signInAgain, signInPerson } from './support/people.js';
import { createPolicy, versionOf } from './support/policy-factory.js';
import { ORIGIN, PASSWORD, startTestApp, type TestApp } from './support/test-app.js';

const CREATE_TOKEN = `mutation($input: ServiceTokenCreateInput!) {
  serviceTokenCreate(input: $input) { token serviceToken { id scopes tenantKeys permissions } userErrors { code field message } }
}`;
const ROTATE = `mutation($input: ServiceTokenRotateInput!) {
  serviceTokenRotate(input: $input) { token serviceToken { id name scopes tenantKeys } userErrors { code field message } }
}`;
const OPERATOR = (mutation: string, type: string) => `mutation($input: ${type}!) {
  ${mutation}(input: $input) { operator { id role suspendedAt } userErrors { code field message } }
}`;
const SUSPEND = OPERATOR('operatorSuspend', 'OperatorStatusInput');

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
  await createPolicy(app);
  await app.graphql(
    'mutation { tenantCreate(input: { key: "other", name: "Other", tierKey: "basic" }) { changeId } }',
  );
});

afterAll(() => app.stop());

async function createToken(input: object, headers?: Record<string, string>) {
  const { data } = await app.graphql(CREATE_TOKEN, { input: { name: 'script', ...input } }, headers);
  const { token, serviceToken, userErrors } = data.serviceTokenCreate;
  return { headers: { authorization: `Bearer ${token}` }, serviceToken, userErrors };
}

const codeOf = async (query: string, headers: Record<string, string>) =>
  (await app.graphql(query, {}, headers)).errors[0]?.extensions.code;

describe('scopes of service tokens', () => {
  it('permit exactly the permissions of their sets', async () => {
    const reader = (await createToken({ scopes: ['read'] })).headers;
    expect(await codeOf('{ tiers { totalCount } auditEntries { totalCount } }', reader)).toBeUndefined();
    expect(
      await codeOf('mutation { tierCreate(input: { key: "x", name: "X" }) { tier { id } } }', reader),
    ).toBe('FORBIDDEN');
    const single = (await createToken({ scopes: ['tiers:write', 'decide'] })).headers;
    expect(
      await codeOf('mutation { tierCreate(input: { key: "x", name: "X" }) { tier { id } } }', single),
    ).toBeUndefined();
    expect(await codeOf('{ tiers { totalCount } }', single)).toBe('FORBIDDEN');
    const decider = (await createToken({ scopes: ['decide'] })).headers;
    expect(await codeOf('{ viewer { id } }', decider)).toBe('FORBIDDEN');
  });

  it.each([
    [['tiers:write'], [], '{ tiers { totalCount } }', 'tiers:read'],
    [['decide'], [], '{ tenants { totalCount } }', undefined],
    [['decide'], [], '{ tiers { totalCount } }', 'tiers:read'],
    [['tiers:read'], [], '{ tenant(key: "acme") { key } }', 'tenants:read'],
    [['tiers:read'], ['acme'], '{ tiers { totalCount } }', 'tiers:read for all tenants'],
    [['tenants:read'], ['acme'], '{ tenant(key: "acme") { members { email } } }', 'members:read'],
    [['nodes:read'], [], '{ tenants { totalCount } }', 'tenants:read'],
  ])('%j in %j: the error of %s names %s', async (scopes, tenantKeys, query, missing) => {
    const { errors } = await app.graphql(query, {}, await app.bearer(scopes, tenantKeys));
    const [permission] = missing?.split(' ') ?? [];
    expect(errors[0]).toMatchObject({
      message:
        missing === undefined
          ? expect.stringMatching(/decision API/)
          : `This requires the permission ${missing}.`,
      extensions: { code: 'FORBIDDEN', ...(permission === undefined ? {} : { permission }) },
    });
  });

  it('have other errors over HTTP than an invalid token', async () => {
    const get = async (path: string, headers: Record<string, string>) => {
      const response = await fetch(`${app.url}${path}`, { headers });
      const { code, title } = (await response.json()) as { code: string; title: string };
      return [response.status, code, title];
    };
    const path = '/api/audit/export';
    expect(await get(path, {})).toEqual([401, 'UNAUTHENTICATED', 'Sign in, or send a service token.']);
    const invalid = await get(path, { authorization: 'Bearer nonsense' });
    expect(invalid).toEqual([401, 'UNAUTHENTICATED', expect.stringMatching(/token is not valid/)]);
    for (const scopes of [['decide'], ['tiers:read']])
      expect(await get(path, await app.bearer(scopes))).toEqual([
        403,
        'FORBIDDEN',
        'This requires the permission audit:read.',
      ]);
  });

  it('can be restricted to tenants', async () => {
    const { headers, serviceToken } = await createToken({ scopes: ['tenants'], tenantKeys: ['acme'] });
    expect(serviceToken.tenantKeys).toEqual(['acme']);
    const { data } = await app.graphql('{ tenant(key: "acme") { key } }', {}, headers);
    expect(data.tenant).toEqual({ key: 'acme' });
    const answers = ['other', 'nobody'].map((key) => codeOf(`{ tenant(key: "${key}") { key } }`, headers));
    expect(await Promise.all(answers)).toEqual(['NOT_FOUND', 'NOT_FOUND']);
    const listed = await app.graphql('{ tenants { nodes { key } } }', {}, headers);
    expect(listed.data.tenants.nodes).toEqual([{ key: 'acme' }]);
    expect(await codeOf('{ tiers { totalCount } }', headers)).toBe('FORBIDDEN');
  });

  it('cannot exceed the permissions of the issuer', async () => {
    const { headers } = await createToken({ scopes: ['service-tokens:write', 'tiers:read'] });
    const { userErrors } = await createToken({ scopes: ['tiers:read', 'admin'] }, headers);
    expect(userErrors).toMatchObject([{ code: 'INVALID', field: ['scopes', '1'] }]);
    expect((await createToken({ scopes: ['tiers:read'] }, headers)).userErrors).toEqual([]);
  });

  it('are validated: unknown scopes, unknown tenants, restricted decide tokens', async () => {
    const problems = async (input: object) =>
      (await createToken(input)).userErrors.map(({ field }: { field: string[] }) => field.join('.'));
    expect(await problems({ scopes: ['tiers'] })).toEqual(['scopes.0']);
    expect(await problems({ scopes: [] })).toEqual(['scopes']);
    expect(await problems({ scopes: ['read'], tenantKeys: ['nobody'] })).toEqual(['tenantKeys']);
    expect(await problems({ scopes: ['decide'], tenantKeys: ['acme'] })).toEqual(['tenantKeys']);
  });
});

describe('a service token for one tenant', () => {
  const PER_MINUTE = { apiKey: 'shop', limit: 'per-minute' };
  const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();
  const mutate = async (name: string, input: object, fields: string, headers?: Record<string, string>) => {
    const ownType = `${name.charAt(0).toUpperCase()}${name.slice(1)}Input`;
    const type = /^tenant(Suspend|Resume)$/.test(name) ? 'TenantStatusInput' : ownType;
    const document = `mutation($input: ${type}!) { result: ${name}(input: $input) { ${fields} userErrors { code field message } } }`;
    const { data, errors } = await app.graphql(document, { input }, headers);
    return { result: data?.result, code: errors[0]?.extensions.code ?? data?.result.userErrors[0]?.code };
  };
  const target = async (tenantKey: string) => ({
    tenantKey,
    expectedVersion: await versionOf(app, 'tenant', tenantKey),
  });
  const override = { ...PER_MINUTE, effect: { kind: 'SET', limit: 40 }, reason: 'Launch' };
  const boost = { ...PER_MINUTE, effect: { kind: 'MULTIPLY', percent: 200 }, reason: 'Launch' };
  const grant = {
    source: 'TOPUP',
    label: 'Thanks',
    effects: [{ ...PER_MINUTE, effect: { kind: 'ADD', units: 5 } }],
    reason: 'Thanks',
  };
  /** Objects of a tenant that are ended by id. */
  const ended = [
    ['overrideSet', override, 'override { id }', 'overrideRemove', 'overrideId'],
    ['boostStart', boost, 'override { id }', 'boostEnd', 'boostId'],
    ['entitlementGrant', grant, 'entitlements { id }', 'entitlementRevoke', 'entitlementId'],
  ] as const;
  const scopes = ['tenants', 'billing', 'policy'];
  let headers: Record<string, string>;

  beforeAll(async () => {
    ({ headers } = await createToken({ scopes, tenantKeys: ['acme'] }));
  });

  it('changes its tenant', async () => {
    const run = async (name: string, more: object) =>
      (await mutate(name, { ...(await target('acme')), ...more }, 'changeId', headers)).code;
    expect(await run('tenantUpdate', { name: 'Acme & Co' })).toBeUndefined();
    expect(await run('tenantTierChange', { tierKey: 'basic', pinnedVersion: 1 })).toBeUndefined();
    expect(await run('tenantSuspend', { reason: 'A test' })).toBeUndefined();
    expect(await run('tenantResume', {})).toBeUndefined();
    const { data } = await app.graphql('{ tenant(key: "acme") { name status } }', {}, headers);
    expect(data.tenant).toEqual({ name: 'Acme & Co', status: 'ACTIVE' });
  });

  it.each(ended)(
    'creates with %s and removes objects of its tenant',
    async (make, facts, fields, end, idField) => {
      const times = make === 'boostStart' ? { endsAt: inAnHour() } : {};
      const input = { ...(await target('acme')), ...facts, ...times };
      const made = await mutate(make, input, fields, headers);
      expect(made.code).toBeUndefined();
      const { id } = made.result.override ?? made.result.entitlements[0];
      expect(
        (await mutate(end, { [idField]: id, reason: 'Over' }, 'changeId', headers)).code,
      ).toBeUndefined();
    },
  );

  it.each(ended)(
    'does not find objects of other tenants through %s',
    async (make, facts, fields, end, idField) => {
      const times = make === 'boostStart' ? { endsAt: inAnHour() } : {};
      const input = { ...(await target('other')), ...facts, ...times };
      const made = await mutate(make, input, fields);
      const { id } = made.result.override ?? made.result.entitlements[0];
      const missing = id.replace(/.{6}$/, '000000');
      const [foreign, none] = await Promise.all(
        [id, missing].map((one: string) =>
          mutate(end, { [idField]: one, reason: 'Over' }, 'changeId', headers),
        ),
      );
      expect(foreign).toMatchObject({ code: 'NOT_FOUND', result: { userErrors: none?.result.userErrors } });
      expect((await mutate(end, { [idField]: id, reason: 'Over' }, 'changeId')).code).toBeUndefined();
    },
  );

  it('decides on requests of its tenant only', async () => {
    const ask = async (tenantKey: string) => {
      const request = { tenantKey, ...PER_MINUTE, wanted: 50, why: 'We grow' };
      const { result } = await mutate('quotaRequestCreate', request, 'request { id version }');
      return result.request;
    };
    const decline = ({ id, version }: { id: string; version: number }) =>
      mutate(
        'quotaRequestDecline',
        { requestId: id, expectedVersion: version, answer: 'Not now' },
        'changeId',
        headers,
      );
    expect((await decline(await ask('acme'))).code).toBeUndefined();
    expect((await decline(await ask('other'))).code).toBe('NOT_FOUND');
  });

  it('receives the same error for other tenants and missing ones, and is denied objects without a tenant', async () => {
    const suspend = (tenantKey: string) =>
      mutate('tenantSuspend', { tenantKey, expectedVersion: 1, reason: 'x' }, 'changeId', headers);
    expect((await suspend('other')).code).toBe('NOT_FOUND');
    expect(await suspend('nosuch')).toEqual(await suspend('other'));
    expect((await mutate('tierCreate', { key: 'z', name: 'Z' }, 'tier { key }', headers)).code).toBe(
      'FORBIDDEN',
    );
    const create = { key: 'new', name: 'New', tierKey: 'basic' };
    expect((await mutate('tenantCreate', create, 'changeId', headers)).code).toBe('FORBIDDEN');
  });
});

describe('serviceTokenRotate', () => {
  it('issues a token with the same scopes and expires the old one after the overlap', async () => {
    const old = await createToken({ scopes: ['read'] });
    const input = { id: old.serviceToken.id, overlapMinutes: 5 };
    const { data } = await app.graphql(ROTATE, { input });
    const fresh = { authorization: `Bearer ${data.serviceTokenRotate.token}` };
    expect(data.serviceTokenRotate.serviceToken).toMatchObject({ name: 'script', scopes: ['read'] });
    expect(await codeOf('{ viewer { id } }', fresh)).toBeUndefined();
    expect(await codeOf('{ viewer { id } }', old.headers)).toBeUndefined();
    const again = await app.graphql(ROTATE, { input });
    expect(again.data.serviceTokenRotate.userErrors).toMatchObject([{ code: 'INVALID', field: ['id'] }]);
    const row = await app.database.serviceToken.findUniqueOrThrow({ where: { id: old.serviceToken.id } });
    expect(Number(row.expiresAt) - Date.now()).toBeLessThanOrEqual(5 * 60_000);
    expect(row.lastUsedAt).not.toBeNull();
    await app.database.serviceToken.update({ where: { id: row.id }, data: { expiresAt: new Date() } });
    expect(await codeOf('{ viewer { id } }', old.headers)).toBe('UNAUTHENTICATED');
  });

  it('revokes the old token immediately without an overlap, and rejects an unknown id', async () => {
    const old = await createToken({ scopes: ['read'] });
    await app.graphql(ROTATE, { input: { id: old.serviceToken.id, overlapMinutes: 0 } });
    expect(await codeOf('{ viewer { id } }', old.headers)).toBe('UNAUTHENTICATED');
    const { data } = await app.graphql(ROTATE, { input: { id: `stk_${'0'.repeat(32)}` } });
    expect(data.serviceTokenRotate.userErrors).toMatchObject([{ code: 'NOT_FOUND' }]);
  });
});

describe('operators', () => {
  let owner: Person;
  beforeAll(async () => {
    owner = await signInPerson(app, { role: 'OWNER' });
  });

  it('lose a role immediately', async () => {
    const admin = await signInPerson(app, { role: 'LIMITS_ADMIN' });
    const input = { id: admin.id, role: 'VIEWER' };
    await app.graphql(OPERATOR('operatorRoleChange', 'OperatorRoleChangeInput'), { input }, owner.headers);
    const write = 'mutation { tierCreate(input: { key: "y", name: "Y" }) { tier { id } } }';
    expect(await codeOf(write, admin.headers)).toBe('FORBIDDEN');
  });

  it('lose every session and stream when suspended, until resumed', async () => {
    const support = await signInPerson(app, { role: 'SUPPORT' });
    const second = await signInAgain(app, support.email);
    const stream = await fetch(`${app.url}/graphql/stream`, {
      method: 'POST',
      headers: { ...support.headers, 'content-type': 'application/json', origin: ORIGIN },
      body: JSON.stringify({ query: 'subscription { decisionSeconds { at } }' }),
    });
    const reader = stream.body?.getReader();
    await reader?.read();
    await app.graphql(SUSPEND, { input: { id: support.id } }, owner.headers);
    for (;;) if ((await reader?.read())?.done !== false) break;
    for (const headers of [support.headers, second]) {
      expect(await codeOf('{ viewer { id } }', headers)).toBe('UNAUTHENTICATED');
    }
    const signIn = () =>
      fetch(`${app.url}/api/auth/sign-in/email`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: ORIGIN },
        body: JSON.stringify({ email: support.email, password: PASSWORD }),
      });
    expect((await signIn()).status).toBe(403);
    await app.graphql(OPERATOR('operatorResume', 'OperatorStatusInput'), { input: { id: support.id } });
    expect((await signIn()).status).toBe(200);
  });

  it('cannot lock out themselves or the last owner', async () => {
    const own = await app.graphql(SUSPEND, { input: { id: owner.id } }, owner.headers);
    expect(own.data.operatorSuspend.userErrors).toMatchObject([{ code: 'INVALID', field: ['id'] }]);
    const last = await app.graphql(SUSPEND, { input: { id: owner.id } });
    expect(last.data.operatorSuspend.userErrors[0].message).toMatch(/last active owner/);
    const member = await signInPerson(app, { members: { acme: 'OWNER' } });
    const none = await app.graphql(SUSPEND, { input: { id: member.id } });
    expect(none.data.operatorSuspend.userErrors).toMatchObject([{ code: 'NOT_FOUND' }]);
  });
});

describe('permissionRoles', () => {
  it('lists the roles of each permission', async () => {
    const { data } = await app.graphql('{ permissionRoles { permission operatorRoles memberRoles } }');
    const by = new Map(data.permissionRoles.map((row: { permission: string }) => [row.permission, row]));
    expect(by.get('boosts:write')).toMatchObject({ operatorRoles: ['OWNER', 'LIMITS_ADMIN', 'SUPPORT'] });
    expect(by.get('audit:read')).toMatchObject({ memberRoles: ['OWNER'] });
  });
});

describe('saved views', () => {
  const SET = `mutation($input: SavedViewSetInput!) {
    savedViewSet(input: $input) { views { id name search } userErrors { code field message } }
  }`;
  const REMOVE = `mutation($input: SavedViewRemoveInput!) {
    savedViewRemove(input: $input) { views { id } userErrors { code field } }
  }`;

  it('belong to one operator, who replaces them by name and removes them', async () => {
    const [dana, priya] = await Promise.all([app.signIn('SUPPORT'), app.signIn('VIEWER')]);
    const set = async (name: string, search: string, headers = dana) =>
      (await app.graphql(SET, { input: { list: 'tenants', name, search } }, headers)).data.savedViewSet;
    const remove = async (id: string, headers: Record<string, string>) =>
      (await app.graphql(REMOVE, { input: { id } }, headers)).data.savedViewRemove;
    const list = async (headers: Record<string, string>, of = 'tenants') =>
      (await app.graphql('query($of: String!) { savedViews(list: $of) { name search } }', { of }, headers))
        .data.savedViews;

    await set('At risk', 'over=80');
    await set('At risk', 'over=90');
    const { views } = await set('Denied', 'denied=true');
    expect(await list(dana)).toEqual([
      { name: 'At risk', search: 'over=90' },
      { name: 'Denied', search: 'denied=true' },
    ]);
    expect(await list(dana, 'purchases')).toEqual([]);
    expect(await list(priya)).toEqual([]);
    await set('At risk', 'over=50', priya);
    expect((await list(dana))[0]).toEqual({ name: 'At risk', search: 'over=90' });
    expect((await remove(views[0].id, priya)).userErrors).toMatchObject([{ code: 'NOT_FOUND' }]);
    expect((await remove(views[0].id, dana)).views).toMatchObject([{ id: views[1].id }]);
    expect(await list(dana)).toEqual([{ name: 'Denied', search: 'denied=true' }]);
    const token = await app.bearer(['admin']);
    expect((await set('Mine', '', token)).userErrors[0].message).toBe('Only people have saved views.');
  });
});
