import { DecisionPlane } from '@tollgate/decision-plane';
import { eventually } from '@tollgate/test-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UsageIngest } from '../src/features/usage/index.js';
import { createPolicy } from './support/policy-factory.js';
import { startTestApp, type TestApp } from './support/test-app.js';

const CREATE = `mutation($input: ApiKeyCreateInput!) {
  apiKeyCreate(input: $input) { key changeId apiKey { id publicId secrets { lastFour endsAt } } userErrors { code field message } }
}`;
const ROTATE = `mutation($input: ApiKeyRotateInput!) {
  apiKeyRotate(input: $input) { key changeId apiKey { publicId secrets { lastFour endsAt } } userErrors { code field } }
}`;
const REVOKE = `mutation($input: ApiKeyRevokeInput!) {
  apiKeyRevoke(input: $input) { changeId apiKey { revokedAt } userErrors { code field } }
}`;
const CALL = { api: 'shop', operation: 'buy' };

let app: TestApp;
let nodes: DecisionPlane[];
let acmeId: string;

beforeAll(async () => {
  app = await startTestApp();
  await createPolicy(app);
  await app.graphql(
    'mutation { tenantCreate(input: { key: "other", name: "Other", tierKey: "basic" }) { changeId } }',
  );
  acmeId = (await app.database.tenant.findUniqueOrThrow({ where: { key: 'acme' } })).id;
  nodes = await Promise.all(['node-1', 'node-2'].map(startNode));
});
afterAll(async () => {
  await Promise.all(nodes.map((node) => node.close()));
  await app.stop();
});

function startNode(nodeId: string): Promise<DecisionPlane> {
  return DecisionPlane.start({
    countersUrl: app.redisUrl,
    configUrl: app.redisUrl,
    nodeId,
    version: 'test',
    deadlineMs: 5000,
    policyKeys: 'unsigned',
    keyPeppers: app.config.peppers,
  });
}

// biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary responses.
async function mutate(query: string, input: object, headers?: Record<string, string>): Promise<any> {
  const { data, errors } = await app.graphql(query, { input: { tenantKey: 'acme', ...input } }, headers);
  const [answer] = Object.values<object>(data ?? {});
  return { ...answer, codes: errors.map(({ extensions }) => extensions.code) };
}

/** Waits until every node has acknowledged the change. */
async function live(changeId: string): Promise<void> {
  await eventually(async () => {
    const query = 'query($id: ID!) { propagation(changeId: $id) { state liveNodes } }';
    const { data } = await app.graphql(query, { id: changeId });
    return data.propagation.liveNodes === nodes.length;
  });
}

async function issue(more: object = {}) {
  const issued = await mutate(CREATE, { name: 'test', ...more });
  expect(issued.userErrors).toEqual([]);
  await live(issued.changeId);
  return issued;
}

/** Results of all nodes for a call with the key: the tenant's limit or the problem code. */
function ask(key: string, call: object = CALL): Promise<(string | null)[]> {
  return Promise.all(
    nodes.map((node) =>
      node.peek({ key, ...CALL, ...call }).then(
        ({ policy }) => policy,
        (error: { code: string }) => error.code,
      ),
    ),
  );
}

describe('an API key', () => {
  it('is shown once, stored as a hash, and accepted by every node when the change is live', async () => {
    const { key, apiKey } = await issue();
    expect(key).toMatch(/^tgk_live_[0-9A-Za-z]{50}$/);
    const { data } = await app.graphql(
      '{ apiKeys(tenantKey: "acme") { nodes { publicId lastUsedAt } totalCount } }',
    );
    expect(data.apiKeys.nodes).toContainEqual({ publicId: apiKey.publicId, lastUsedAt: null });
    expect(await ask(key)).toEqual(['per-minute', 'per-minute']);
    const dump = JSON.stringify([
      await app.database.apiKey.findMany(),
      await app.database.apiKeySecret.findMany(),
    ]);
    expect(dump).not.toContain(key);
    expect(dump).toContain(apiKey.secrets[0].lastFour);
  });

  it('shows its tenant by its public part, also when revoked; not to callers without access to tenants', async () => {
    const { apiKey } = await issue();
    const ask = (publicId: string, headers?: Record<string, string>) =>
      app.graphql('query($id: String!) { tenantOfApiKey(publicId: $id) { key } }', { id: publicId }, headers);
    expect((await ask(apiKey.publicId)).data.tenantOfApiKey).toEqual({ key: 'acme' });
    await mutate(REVOKE, { id: apiKey.id });
    expect((await ask(apiKey.publicId)).data.tenantOfApiKey).toEqual({ key: 'acme' });
    expect((await ask('000000000000')).data.tenantOfApiKey).toBeNull();
    const stranger = await ask(apiKey.publicId, await app.bearer(['nodes:read']));
    expect(stranger.errors[0]?.extensions.code).toBe('FORBIDDEN');
  });

  it('is rejected by every node once its revocation is acknowledged', async () => {
    const { key, apiKey } = await issue();
    expect(await ask(key)).toEqual(['per-minute', 'per-minute']);
    const { changeId } = await mutate(REVOKE, { id: apiKey.id });
    await live(changeId);
    expect(await ask(key)).toEqual(['key-invalid', 'key-invalid']);
    expect((await mutate(REVOKE, { id: apiKey.id })).userErrors).toMatchObject([{ code: 'INVALID' }]);
    expect((await mutate(ROTATE, { id: apiKey.id })).userErrors).toMatchObject([{ code: 'INVALID' }]);
  });

  it('is rotated under load without one rejection of the old or new secret', async () => {
    const { key, apiKey } = await issue();
    const refused: string[] = [];
    let isOver = false;
    let rounds = 0;
    const use = async (text: string) => {
      for (; !isOver; rounds++)
        refused.push(...(await ask(text)).filter((answer): answer is string => answer !== 'per-minute'));
    };
    const old = use(key);
    const rotated = await mutate(ROTATE, { id: apiKey.id, overlapHours: 1 });
    await live(rotated.changeId);
    const next = use(rotated.key);
    const before = rounds;
    await eventually(() => rounds >= before + 200);
    isOver = true;
    await Promise.all([old, next]);
    expect(refused).toEqual([]);
    expect(rotated.apiKey.publicId).toBe(apiKey.publicId);
    expect(rotated.apiKey.secrets).toMatchObject([{ endsAt: null }, { endsAt: expect.any(String) }]);
    expect((await mutate(ROTATE, { id: apiKey.id, overlapHours: 1 })).userErrors).toMatchObject([
      { code: 'INVALID', field: ['overlapHours'] },
    ]);
    const last = await mutate(ROTATE, { id: apiKey.id, overlapHours: 0 });
    await live(last.changeId);
    expect([await ask(key), await ask(rotated.key), await ask(last.key)]).toEqual([
      ['key-invalid', 'key-invalid'],
      ['key-invalid', 'key-invalid'],
      ['per-minute', 'per-minute'],
    ]);
  });

  it('can be limited to an API, an operation and a period', async () => {
    const { key } = await issue({ scopes: ['shop/sell'], mode: 'TEST' });
    expect(key).toMatch(/^tgk_test_/);
    expect(await ask(key)).toEqual(['key-scope-missing', 'key-scope-missing']);
    expect(await ask(key, { operation: 'sell' })).toEqual(['per-minute', 'per-minute']);
    for (const [input, field] of [
      [{ scopes: ['nothing'] }, 'scopes'],
      [{ scopes: ['shop/a b'] }, 'scopes'],
      [{ expiresAt: '2020-01-01T00:00:00Z' }, 'expiresAt'],
      [{ name: ' ' }, 'name'],
    ] as const) {
      const { userErrors } = await mutate(CREATE, { name: 'x', ...input });
      expect(userErrors[0].field[0]).toBe(field);
    }
  });

  it('shows its last use to the minute', async () => {
    const { key, apiKey } = await issue();
    const minuteMs = Math.floor(Date.now() / 60_000) * 60_000;
    await nodes[0]?.limit({ key, ...CALL });
    const used = await eventually(async () => {
      await app.app.get(UsageIngest, { strict: false }).run();
      return (await app.database.apiKey.findUnique({ where: { id: apiKey.id } }))?.lastUsedAt;
    });
    expect(used.getTime()).toBeGreaterThanOrEqual(minuteMs);
  });

  it('of an archived tenant is rejected, and nodes do not know the tenant', async () => {
    const create =
      'mutation { tenantCreate(input: { key: "brief", name: "Brief", tierKey: "basic" }) { changeId } }';
    await app.graphql(create);
    const { key } = await issue({ tenantKey: 'brief' });
    expect(await ask(key)).toEqual(['per-minute', 'per-minute']);
    const archive =
      'mutation { tenantArchive(input: { tenantKey: "brief", expectedVersion: 1 }) { changeId } }';
    const { data } = await app.graphql(archive);
    await live(data.tenantArchive.changeId);
    expect(await ask(key)).toEqual(['key-invalid', 'key-invalid']);
    const direct = nodes.map((node) => node.peek({ tenant: 'brief', ...CALL }).catch((error) => error.code));
    expect(await Promise.all(direct)).toEqual(['tenant-unknown', 'tenant-unknown']);
  });
});

describe('permissions on API keys', () => {
  it.each([
    ['OWNER', true, true],
    ['DEVELOPER', true, true],
    ['BUYER', false, false],
    ['VIEWER', false, false],
  ] as const)(
    'as %s of the tenant: read %s, write %s; of another tenant nothing',
    async (role, reads, writes) => {
      const headers = await app.signInMember(acmeId, role);
      const readCodes = async (tenant: string) =>
        (await app.graphql(`{ apiKeys(tenantKey: "${tenant}") { totalCount } }`, {}, headers)).errors.map(
          ({ extensions }) => extensions.code,
        );
      expect(await readCodes('acme')).toEqual(reads ? [] : ['FORBIDDEN']);
      expect(await readCodes('other')).toEqual(['NOT_FOUND']);
      expect((await mutate(CREATE, { name: 'k', dryRun: true }, headers)).codes).toEqual(
        writes ? [] : ['FORBIDDEN'],
      );
      expect((await mutate(CREATE, { tenantKey: 'other', name: 'k' }, headers)).codes).toEqual(['NOT_FOUND']);
    },
  );

  it('no key is accessible through another tenant', async () => {
    const { apiKey } = await issue({ tenantKey: 'other' });
    for (const query of [ROTATE, REVOKE]) {
      expect((await mutate(query, { id: apiKey.id })).userErrors).toMatchObject([
        { code: 'NOT_FOUND', field: ['id'] },
      ]);
    }
    const headers = await app.signInMember(acmeId, 'OWNER');
    const { data } = await app.graphql(
      'query($id: ID!) { node(id: $id) { id } }',
      { id: apiKey.id },
      headers,
    );
    expect(data.node).toBeNull();
  });
});

describe('alert thresholds', () => {
  const SET = `mutation($input: AlertThresholdSetInput!) {
    alertThresholdSet(input: $input) { changeId alertThresholds { id apiKey limitName percents } userErrors { code field } }
  }`;
  const REMOVE = `mutation($input: AlertThresholdRemoveInput!) {
    alertThresholdRemove(input: $input) { changeId alertThresholds { percents } userErrors { code field } }
  }`;

  it("reach nodes: a crossing is reported once at the tenant's threshold", async () => {
    await app.graphql(
      'mutation { tenantCreate(input: { key: "alert", name: "Alert", tierKey: "basic" }) { changeId } }',
    );
    const set = await mutate(SET, { tenantKey: 'alert', apiKey: 'shop', percents: [50, 30, 50] });
    expect(set.alertThresholds).toMatchObject([{ apiKey: 'shop', limitName: null, percents: [30, 50] }]);
    await live(set.changeId);
    for (let i = 0; i < 6; i++) await nodes[i % 2]?.limit({ tenant: 'alert', ...CALL });
    const notices = await eventually(async () => {
      await app.app.get(UsageIngest, { strict: false }).run();
      const found = await app.database.notice.findMany({ where: { tenantKey: 'alert', kind: 'limit.near' } });
      return found.length === 2 && found;
    });
    expect(notices.map(({ data }) => (data as { percent: number }).percent).sort()).toEqual([30, 50]);
    const { data } = await app.graphql('{ alertThresholds(tenantKey: "alert") { id } }');
    const removed = await mutate(REMOVE, { tenantKey: 'alert', id: data.alertThresholds[0].id });
    expect(removed).toMatchObject({ alertThresholds: [], userErrors: [] });
  });

  it.each([
    ['none', { percents: [] }, 'percents'],
    ['0 percent', { percents: [0] }, 'percents'],
    ['101 percent', { percents: [101] }, 'percents'],
    ['more than eight', { percents: [1, 2, 3, 4, 5, 6, 7, 8, 9] }, 'percents'],
    ['of an API that is not there', { apiKey: 'nothing', percents: [50] }, 'apiKey'],
    ['of a limit without its API', { limitName: 'per-minute', percents: [50] }, 'apiKey'],
  ])('%s are rejected by field', async (_, input, field) => {
    expect((await mutate(SET, input)).userErrors[0].field[0]).toBe(field);
  });

  it.each(['OWNER', 'BUYER', 'DEVELOPER', 'VIEWER'] as const)('as %s', async (role) => {
    const headers = await app.signInMember(acmeId, role);
    const { codes } = await mutate(SET, { percents: [50], dryRun: true }, headers);
    expect(codes).toEqual(role === 'VIEWER' ? ['FORBIDDEN'] : []);
    expect((await mutate(SET, { tenantKey: 'other', percents: [50] }, headers)).codes).toEqual(['NOT_FOUND']);
    expect((await mutate(REMOVE, { id: 'alr_0' }, headers)).codes).toEqual(
      role === 'VIEWER' ? ['FORBIDDEN'] : [],
    );
    expect(
      (await app.graphql('{ alertThresholds(tenantKey: "other") { id } }', {}, headers)).errors,
    ).toHaveLength(1);
  });
});
