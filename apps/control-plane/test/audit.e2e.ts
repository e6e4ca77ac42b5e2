import { CHAIN_START, type ChainedEntry, findChainProblem } from '@tollgate/contracts/audit-chain';
import { headIsSignedBy, type SignedHead } from '@tollgate/contracts/audit-head';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { AuditExport } from '../src/features/governance/audit/audit-export.js';
import { AuditHeadsJob } from '../src/features/governance/index.js';
import { signInPerson } from './support/people.js';
import { createPolicy } from './support/policy-factory.js';
import { startTestApp, type TestApp } from './support/test-app.js';

const ENTRIES = `query($tenant: String, $action: String, $actor: String, $entityId: String, $from: DateTime, $to: DateTime) {
  auditEntries(tenant: $tenant, action: $action, actor: $actor, entityId: $entityId, from: $from, to: $to) {
    totalCount nodes { id action actor actorId entityId tenantKey chain sequence hash previousHash address userAgent changeId at }
  }
}`;
const VERIFY = `query($tenantKey: String) {
  auditVerify(tenantKey: $tenantKey) { ok chains entries unsignedChains brokenChains breaks { chain sequence entryId problem } publicKey }
}`;

let app: TestApp;
let member: Record<string, string>;

beforeAll(async () => {
  app = await startTestApp();
  await createPolicy(app);
  await app.graphql(
    'mutation { tenantCreate(input: { key: "other", name: "=cmd|x", tierKey: "basic" }) { changeId } }',
  );
  await app.graphql(
    'mutation { tenantUpdate(input: { tenantKey: "acme", name: "Acme Ltd", expectedVersion: 1, reason: "=HYPERLINK(1)" }) { changeId } }',
    {},
    { ...(await app.bearer(['admin'])), 'user-agent': 'a test' },
  );
  member = (await signInPerson(app, { members: { acme: 'OWNER' } })).headers;
});

afterAll(() => app.stop());

const exported = async (query: string, headers: Record<string, string>) => {
  const response = await fetch(`${app.url}/api/audit/export?${query}`, { headers });
  return { response, text: await response.text() };
};

describe('auditEntries', () => {
  it('records the origin of a change and its change id', async () => {
    const { data } = await app.graphql(ENTRIES, { tenant: 'acme', action: 'tenant.update' });
    expect(data.auditEntries.nodes).toMatchObject([
      {
        chain: 'acme',
        sequence: 2,
        address: '127.0.0.1',
        userAgent: 'a test',
        changeId: expect.stringMatching(/^chg_/),
      },
    ]);
  });

  it('filters by actor (name or id), object and time', async () => {
    const { data } = await app.graphql(ENTRIES, { tenant: 'acme', action: 'tenant.update' });
    const [entry] = data.auditEntries.nodes;
    for (const filter of [
      { actor: entry.actor },
      { actor: entry.actorId },
      { entityId: entry.entityId, action: 'tenant.update' },
      { from: entry.at, action: 'tenant.update' },
    ]) {
      const found = await app.graphql(ENTRIES, filter);
      expect(found.data.auditEntries.nodes.map(({ id }: { id: string }) => id)).toContain(entry.id);
    }
    expect((await app.graphql(ENTRIES, { to: '2020-01-01T00:00:00Z' })).data.auditEntries.totalCount).toBe(0);
    expect((await app.graphql(ENTRIES, { action: 'nonsense' })).errors[0]?.message).toMatch(/^action /);
  });

  it('shows a tenant owner only its own chain, including changes by operators', async () => {
    const own = await app.graphql(ENTRIES, { tenant: 'acme' }, member);
    expect(own.data.auditEntries.nodes.map(({ action }: { action: string }) => action)).toEqual([
      'tenant.update',
      'tenant.create',
    ]);
    const codes = [undefined, 'other', 'nobody'].map(
      async (tenant) => (await app.graphql(ENTRIES, { tenant }, member)).errors[0]?.extensions.code,
    );
    expect(await Promise.all(codes)).toEqual(['FORBIDDEN', 'NOT_FOUND', 'NOT_FOUND']);
  });
});

describe('auditVerify', () => {
  it('verifies all chains or one', async () => {
    const all = await app.graphql(VERIFY);
    expect(all.data.auditVerify).toMatchObject({ ok: true, chains: 3, brokenChains: 0, breaks: [] });
    expect(all.data.auditVerify.entries).toBe(await app.database.auditEntry.count());
    const own = await app.graphql(VERIFY, { tenantKey: 'acme' }, member);
    expect(own.data.auditVerify).toMatchObject({ ok: true, chains: 1, entries: 2 });
    expect((await app.graphql(VERIFY, {}, member)).errors[0]?.extensions.code).toBe('FORBIDDEN');
  });

  it('reports the first invalid entry', async () => {
    const entry = await app.database.auditEntry.findFirstOrThrow({ where: { chain: 'other' } });
    const tamper = (reason: string | null) =>
      app.database.$transaction([
        app.database.$executeRaw`SET LOCAL session_replication_role = replica`,
        app.database.$executeRaw`UPDATE "audit_entry" SET "reason" = ${reason} WHERE "id" = ${entry.id}`,
      ]);
    await tamper('another');
    const { data } = await app.graphql(VERIFY);
    expect(data.auditVerify).toMatchObject({
      ok: false,
      breaks: [{ chain: 'other', sequence: 1, entryId: entry.id, problem: 'content' }],
    });
    await tamper(null);
    expect((await app.graphql(VERIFY)).data.auditVerify.ok).toBe(true);
  });
});

describe('GET /api/audit/export', () => {
  it('exports JSON lines with heads that verify offline', async () => {
    await app.app.get(AuditHeadsJob, { strict: false }).run();
    const { response, text } = await exported('format=jsonl&tenant=acme', member);
    expect(response.headers.get('content-disposition')).toContain('audit-acme.jsonl');
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const { publicKey } = lines.at(-1).end as { publicKey: string };
    const { head } = lines.at(-2) as { head: SignedHead };
    const entries = lines.slice(0, -2) as ChainedEntry[];
    let position = CHAIN_START;
    for (const entry of entries) {
      expect(findChainProblem(position, entry)).toBeUndefined();
      position = entry;
    }
    expect(headIsSignedBy(publicKey, head)).toBe(true);
    expect(head).toMatchObject({ chain: 'acme', sequence: position.sequence, hash: position.hash });
    expect(lines.at(-1).end.entries).toBe(entries.length);
  });

  it('runs two exports of a tenant at once, while other tenants export theirs', async () => {
    const exports = app.app.get(AuditExport, { strict: false });
    const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
    const write = vi.spyOn(exports, 'write').mockImplementation(async function* () {
      await isReleased;
      yield '';
    });
    const bearers = await Promise.all(Array.from({ length: 3 }, () => app.bearer(['audit:read'])));
    const run = (tenant: string, index: number) => exported(`tenant=${tenant}`, bearers[index] ?? {});
    const pending = [run('acme', 0), run('acme', 1)];
    await expect.poll(() => write.mock.calls.length).toBe(2);
    expect((await run('acme', 2)).response.status).toBe(503);
    const other = run('other', 2);
    await expect.poll(() => write.mock.calls.length).toBe(3);
    release();
    const statuses = (await Promise.all([...pending, other])).map(({ response }) => response.status);
    expect(statuses).toEqual([200, 200, 200]);
    write.mockRestore();
  });

  it('exports CSV without formulas', async () => {
    const { text } = await exported('format=csv', await app.bearer(['admin']));
    expect(text).toContain("'=HYPERLINK(1)");
    expect(text).not.toMatch(/(^|,)"?[=+@]/m);
    expect(text.split('\r\n')).toHaveLength((await app.database.auditEntry.count()) + 2);
  });

  it('requires the same permission as auditEntries', async () => {
    const statuses = await Promise.all(
      [
        exported('tenant=other', member),
        exported('', member),
        exported('tenant=acme&tenant=other', member),
        exported('tenant=acme', {}),
        exported('tenant=acme', (await signInPerson(app, { members: { acme: 'VIEWER' } })).headers),
        exported('format=xml', await app.bearer(['admin'])),
        exported('tenant=acme', { ...member, origin: 'https://elsewhere.example' }),
      ].map(async (one) => (await one).response.status),
    );
    expect(statuses).toEqual([404, 403, 403, 401, 403, 400, 403]);
  });
});
