import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPolicy, LIMIT, PUBLISH, SAVE_DRAFT, versionOf } from './support/policy-factory.js';
import { startTestApp, type TestApp } from './support/test-app.js';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
  await createPolicy(app);
});
afterAll(() => app.stop());

const ERRORS = 'userErrors { code field message }';
const { apiKey: _apiKey, ...DEFAULT } = { ...LIMIT, name: 'per-second', limit: 5, windowMs: 1000 };

/** Runs one mutation and returns its payload. */
async function mutate(
  name: string,
  type: string,
  input: object,
  fields: string,
  headers?: Record<string, string>,
) {
  const document = `mutation($input: ${type}!) { result: ${name}(input: $input) { ${fields} ${ERRORS} } }`;
  const { data, errors } = await app.graphql(document, { input }, headers);
  expect(errors).toEqual([]);
  return data.result;
}

async function refusal(name: string, type: string, input: object): Promise<[string, string[] | null]> {
  const { userErrors } = await mutate(name, type, input, '');
  return [userErrors[0]?.code, userErrors[0]?.field];
}

const setDefaults = async (limits: object[], more: object = {}) =>
  mutate(
    'apiDefaultLimitsSet',
    'ApiDefaultLimitsSetInput',
    { apiKey: 'shop', expectedVersion: await versionOf(app, 'api', 'shop'), limits, ...more },
    'changeId impact { tenants } api { defaultLimits { name origin } }',
  );

async function saveDraft(tierKey: string, limits: object[]): Promise<void> {
  const expectedVersion = await versionOf(app, 'tier', tierKey);
  const { data } = await app.graphql(SAVE_DRAFT, { input: { tierKey, expectedVersion, limits } });
  expect(data.tierDraftSave.userErrors).toEqual([]);
}

const tierOf = async (key: string) =>
  (
    await app.graphql(
      `query($key: String!) { tier(key: $key) { archivedAt tags signUp tenantCount
        published { number automatic tenantCount limits { name origin } }
        draft { number limits { name } } versions { number status tenantCount } } }`,
      { key },
    )
  ).data.tier;

describe('default limits of an API', () => {
  it('are published to every tier without a limit of the same name in one change, and leave drafts unchanged', async () => {
    await saveDraft('basic', [LIMIT, { ...LIMIT, name: 'drafted', limit: 9 }]);
    const set = await setDefaults([DEFAULT]);
    expect(set.userErrors).toEqual([]);
    expect(set.api.defaultLimits).toEqual([{ name: 'per-second', origin: 'DEFAULT' }]);
    const { published, draft } = await tierOf('basic');
    expect(published).toMatchObject({ number: 2, automatic: true, tenantCount: 1 });
    expect(published.limits).toEqual([
      { name: 'per-minute', origin: 'TIER' },
      { name: 'per-second', origin: 'DEFAULT' },
    ]);
    expect(draft).toMatchObject({ number: 3, limits: [{ name: 'per-minute' }, { name: 'drafted' }] });
    expect(await app.database.outboxEvent.count({ where: { changeId: set.changeId } })).toBe(1);
  });

  it('are replaced by a limit of the same name, and disappear when removed', async () => {
    await saveDraft('basic', [LIMIT, { ...LIMIT, name: 'per-second', limit: 7, windowMs: 1000 }]);
    const expectedVersion = await versionOf(app, 'tier', 'basic');
    const { data } = await app.graphql(PUBLISH, { input: { tierKey: 'basic', expectedVersion } });
    expect(data.tierPublish.userErrors).toEqual([]);
    const { published } = await tierOf('basic');
    expect(published).toMatchObject({ number: 3, automatic: false });
    expect(published.limits.map(({ origin }: { origin: string }) => origin)).toEqual(['TIER', 'TIER']);
    await setDefaults([]);
    // Nothing changes for a tier that had none of them.
    expect((await tierOf('basic')).published.number).toBe(3);
  });

  it('that conflict with a tier are rejected together, naming the tier', async () => {
    const many = Array.from({ length: 15 }, (_, i) => ({ ...DEFAULT, name: `default-${i}` }));
    const { userErrors } = await setDefaults(many);
    expect(userErrors).toMatchObject([{ code: 'INVALID', field: ['limits'] }]);
    expect(userErrors[0].message).toContain('Tier "basic"');
    expect((await tierOf('basic')).published.number).toBe(3);
  });

  it.each([
    ['an unknown operation', { operations: ['steal'] }, 'NOT_FOUND', ['limits', '0', 'operations', '0']],
    ['no window', { windowMs: null }, 'INVALID', ['limits', '0', 'windowMs']],
  ])('with %s are rejected with the field', async (_name, more, code, field) => {
    expect((await setDefaults([{ ...DEFAULT, ...more }])).userErrors).toMatchObject([{ code, field }]);
  });
});

describe('deletion and archiving', () => {
  it('rejects deleting an API, operation or tier in use, naming its uses', async () => {
    const api = { apiKey: 'shop', expectedVersion: await versionOf(app, 'api', 'shop') };
    await saveDraft('basic', [{ ...LIMIT, operations: ['buy'] }]);
    const deleted = await mutate('apiDelete', 'ApiDeleteInput', api, 'api { key }');
    expect(deleted).toMatchObject({
      api: { key: 'shop' },
      userErrors: [{ code: 'IN_USE', field: ['apiKey'] }],
    });
    expect(deleted.userErrors[0].message).toContain('basic');
    const buy = { ...api, name: 'buy' };
    expect(await refusal('operationDelete', 'OperationDeleteInput', buy)).toEqual(['IN_USE', ['name']]);
    const sell = { ...api, name: 'sell' };
    const gone = await mutate(
      'operationDelete',
      'OperationDeleteInput',
      sell,
      'changeId api { operations { name } }',
    );
    expect(gone).toMatchObject({ userErrors: [], api: { operations: [{ name: 'buy' }] } });
    const tier = { tierKey: 'basic', expectedVersion: await versionOf(app, 'tier', 'basic') };
    expect(await refusal('tierDelete', 'TierLifecycleInput', tier)).toEqual(['IN_USE', ['tierKey']]);
  });

  it('deletes an unused API, and its key can be reused', async () => {
    await mutate(
      'apiCreate',
      'ApiCreateInput',
      { key: 'tmp', name: 'Tmp', tags: ['b', 'a', 'b'] },
      'api { tags }',
    );
    const updated = await mutate(
      'apiUpdate',
      'ApiUpdateInput',
      { apiKey: 'tmp', expectedVersion: 1, name: 'New' },
      'api { name tags }',
    );
    expect(updated).toMatchObject({ api: { name: 'New', tags: ['a', 'b'] } });
    const gone = await mutate(
      'apiDelete',
      'ApiDeleteInput',
      { apiKey: 'tmp', expectedVersion: 2 },
      'changeId api { key }',
    );
    expect(gone).toMatchObject({ api: null, userErrors: [], changeId: expect.any(String) });
    expect((await app.graphql('{ api(key: "tmp") { key } apis { nodes { key } } }')).data).toEqual({
      api: null,
      apis: { nodes: [{ key: 'shop' }] },
    });
    const again = await mutate(
      'apiCreate',
      'ApiCreateInput',
      { key: 'tmp', name: 'Again', operations: ['list', 'add'] },
      'api { name tags operations { name cost } }',
    );
    const operations = ['add', 'list'].map((name) => ({ name, cost: 1 }));
    expect(again).toMatchObject({ userErrors: [], api: { name: 'Again', tags: [], operations } });
  });

  it('duplicates, archives and restores a tier, and deletes it unless it was published', async () => {
    const copy = { tierKey: 'basic', newKey: 'copy', name: 'Copy' };
    const copied = await mutate(
      'tierDuplicate',
      'TierDuplicateInput',
      copy,
      'tier { draft { limits { name } } }',
    );
    expect(copied.tier.draft.limits).toEqual([{ name: 'per-minute' }]);
    expect(await refusal('tierDuplicate', 'TierDuplicateInput', copy)).toEqual(['TAKEN', ['newKey']]);
    const target = async () => ({ tierKey: 'copy', expectedVersion: await versionOf(app, 'tier', 'copy') });
    const archived = await mutate('tierArchive', 'TierLifecycleInput', await target(), 'tier { archivedAt }');
    expect(archived.tier.archivedAt).not.toBeNull();
    expect(await refusal('tierArchive', 'TierLifecycleInput', await target())).toEqual([
      'INVALID',
      ['tierKey'],
    ]);
    expect(
      await refusal('tenantCreate', 'TenantCreateInput', { key: 'late', name: 'L', tierKey: 'copy' }),
    ).toEqual(['INVALID', ['tierKey']]);
    const restored = await mutate('tierRestore', 'TierLifecycleInput', await target(), 'tier { archivedAt }');
    expect(restored.tier.archivedAt).toBeNull();
    const deleted = await mutate('tierDelete', 'TierLifecycleInput', await target(), 'tier { key }');
    expect(deleted).toEqual({ tier: null, userErrors: [] });
    expect(await tierOf('copy')).toBeNull();
  });

  it('rejects archiving the sign-up tier', async () => {
    const target = async () => ({ tierKey: 'basic', expectedVersion: await versionOf(app, 'tier', 'basic') });
    await mutate('tierUpdate', 'TierUpdateInput', { ...(await target()), signUp: true, tags: ['main'] }, '');
    expect(await tierOf('basic')).toMatchObject({ signUp: true, tags: ['main'] });
    expect(await refusal('tierArchive', 'TierLifecycleInput', await target())).toEqual([
      'IN_USE',
      ['tierKey'],
    ]);
  });

  it('returns a conflict to the second of two concurrent changes, which changes nothing', async () => {
    const target = { tierKey: 'basic', expectedVersion: await versionOf(app, 'tier', 'basic') };
    const inputs = ['First', 'Second'].map((name) => ({ ...target, name }));
    const outcomes = await Promise.all(
      inputs.map((input) => mutate('tierUpdate', 'TierUpdateInput', input, 'tier { name }')),
    );
    const codes = outcomes.map(({ userErrors }) => userErrors[0]?.code ?? 'done').sort();
    expect(codes).toEqual(['CONFLICT', 'done']);
  });
});

describe('comparing and linting', () => {
  it('lists the differences of two versions by limit and field', async () => {
    const query = `query($a: TierVersionRef!, $b: TierVersionRef!) { tierCompare(a: $a, b: $b) { increased decreased
      limits { apiKey name kind increased decreased before { limit } after { limit } fields { field before after } } } }`;
    const ref = (version: number) => ({ tierKey: 'basic', version });
    const { data } = await app.graphql(query, { a: ref(2), b: ref(3) });
    expect(data.tierCompare).toEqual({
      increased: 1,
      decreased: 0,
      limits: [
        {
          apiKey: 'shop',
          name: 'per-second',
          kind: 'CHANGED',
          increased: true,
          decreased: false,
          before: { limit: 5 },
          after: { limit: 7 },
          fields: [{ field: 'limit', before: 5, after: 7 }],
        },
      ],
    });
    expect((await app.graphql(query, { a: ref(2), b: ref(99) })).data.tierCompare).toBeNull();
  });

  it('lints a draft as it would be published; a publication returns warnings and is rejected on errors', async () => {
    const soft = { ...LIMIT, name: 'soft', limit: 9, throttle: { mode: 'SOFT', percent: 50 } };
    await saveDraft('basic', [
      LIMIT,
      soft,
      { ...LIMIT, name: 'useless', limit: 700, windowMs: 3_600_000, algorithm: 'SLIDING_WINDOW_LOG' },
    ]);
    const lint = `{ tierLint(tierKey: "basic") { severity code tierKey version path message advice } lint { code } }`;
    const { data } = await app.graphql(lint);
    const found = data.tierLint.map(({ severity, code, path }: Record<string, unknown>) => [
      severity,
      code,
      path,
    ]);
    expect(found).toContainEqual(['ERROR', 'NEVER_REACHED', ['limits', '2', 'limit']]);
    expect(found).toContainEqual(['WARNING', 'BAND_NEVER_USED', ['limits', '1', 'throttle']]);
    expect(data.lint.map(({ code }: { code: string }) => code)).toContain('NEVER_REACHED');
    const publish = async () =>
      mutate(
        'tierPublish',
        'TierPublishInput',
        { tierKey: 'basic', expectedVersion: await versionOf(app, 'tier', 'basic') },
        'warnings { code severity }',
      );
    expect(await publish()).toMatchObject({ warnings: [], userErrors: [{ code: 'INVALID' }] });
    await saveDraft('basic', [LIMIT, soft]);
    expect(await publish()).toMatchObject({
      userErrors: [],
      warnings: [{ code: 'BAND_NEVER_USED', severity: 'WARNING' }],
    });
    expect((await app.graphql('{ tierLint(tierKey: "nowhere") { code } }')).data.tierLint).toBeNull();
  });

  it('warns of an API that loses its last limit, not of APIs that were never limited', async () => {
    await mutate('apiCreate', 'ApiCreateInput', { key: 'unrelated', name: 'Unrelated' }, '');
    const operation = {
      apiKey: 'unrelated',
      name: 'list',
      expectedVersion: await versionOf(app, 'api', 'unrelated'),
    };
    await mutate('operationCreate', 'OperationCreateInput', operation, '');
    const publish = async (limits: object[]) => {
      await saveDraft('basic', limits);
      const input = { tierKey: 'basic', expectedVersion: await versionOf(app, 'tier', 'basic') };
      const { warnings } = await mutate('tierPublish', 'TierPublishInput', input, 'warnings { code path }');
      return warnings;
    };
    const elsewhere = { ...LIMIT, name: 'elsewhere', apiKey: 'unrelated', operations: [] };
    expect(await publish([{ ...LIMIT, limit: 11 }])).toEqual([]);
    expect(await publish([LIMIT, elsewhere])).toEqual([]);
    expect(await publish([LIMIT])).toEqual([{ code: 'NO_LIMIT', path: ['apis', 'unrelated'] }]);
  });

  it("reports a pool whose capacity is below the sum of the tenants' own limits", async () => {
    const pool = {
      apiKey: 'shop',
      name: 'tiny',
      capacity: 1,
      expectedVersion: await versionOf(app, 'api', 'shop'),
    };
    await mutate('poolCreate', 'PoolCreateInput', pool, '');
    await saveDraft('basic', [{ ...LIMIT, name: 'fast', limit: 100, windowMs: 1000 }]);
    const publish = { tierKey: 'basic', expectedVersion: await versionOf(app, 'tier', 'basic') };
    await mutate('tierPublish', 'TierPublishInput', publish, '');
    const { data } = await app.graphql('{ lint { code path message } }');
    const finding = data.lint.find(({ code }: { code: string }) => code === 'POOL_EXCEEDED');
    expect(finding).toMatchObject({ path: ['apis', 'shop', 'pools', 'tiny'] });
    expect(finding.message).toContain('100 units per second');
  });
});
