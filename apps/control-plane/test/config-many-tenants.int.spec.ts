import { createPrismaClient, type PrismaClient } from '@tollgate/database';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RelayModule, RelayService } from '../src/features/distribution/index.js';
import { ConfigService } from '../src/features/governance/config/config.service.js';
import { ConfigDocumentModule, ImpactModule } from '../src/features/governance/governance.modules.js';
import type { Outcome } from '../src/platform/changes/outcome.js';
import { Database } from '../src/platform/prisma/database.js';
import { CALLER } from './support/test-app.js';
import { startTestServices, type TestServices } from './support/test-services.js';

const FEW = 20;
const MANY = 420;

/** Prisma splits a list of rows when it has more values than one statement can have. */
const MAX_MORE_STATEMENTS = 10;

let services: TestServices;
let owner: PrismaClient;
let statements = 0;

beforeAll(async () => {
  services = await startTestServices([RelayModule, ConfigDocumentModule, ImpactModule]);
  owner = createPrismaClient(services.ownerUrl, { max: 1 });
  countStatements();
});
afterAll(async () => {
  await owner.$disconnect();
  await services.stop();
});

const CATALOGUE = {
  version: 1,
  apis: { shop: { name: 'Shop' } },
  tiers: Object.fromEntries(
    ['free', 'pro'].map((key) => [
      key,
      {
        name: key,
        limits: [
          { name: 'minute', api: 'shop', algorithm: 'fixed_window', limit: 60, window: '1m', per: ['user'] },
          { name: 'day', api: 'shop', algorithm: 'quota', limit: 1000, period: 'day' },
        ],
      },
    ]),
  ),
};

function tenantOf(index: number) {
  const of = { api: 'shop', limit: 'day' };
  return {
    name: `Tenant ${index}`,
    tier: 'free',
    timeZone: 'Europe/Berlin',
    overrides: [
      { ...of, effect: { kind: 'set', limit: 2000 + index }, reason: 'Contract' },
      { api: 'shop', limit: 'minute', effect: { kind: 'add', units: 10 }, reason: 'Contract' },
    ],
    alerts: [{ ...of, percents: [50, 90] }],
    subjectRules: [
      { dimension: 'user', pattern: `robot-${index}`, effect: { kind: 'deny' }, reason: 'Robot' },
    ],
  };
}

type ConfigTenant = Partial<ReturnType<typeof tenantOf>> & Record<string, unknown>;

const documentOf = (prefix: string, count: number, change: ConfigTenant = {}) => ({
  ...CATALOGUE,
  tenants: Object.fromEntries(
    Array.from({ length: count }, (_, index): [string, ConfigTenant] => [
      `${prefix}-${index}`,
      { ...tenantOf(index), ...change },
    ]),
  ),
});

function apply(document: object, more: { mode?: 'SYNC' } = {}, dryRun = false) {
  const service = services.context.get(ConfigService, { strict: false });
  const mode = more.mode ?? 'APPLY';
  return service.apply({ ...CALLER, dryRun }, { document: JSON.stringify(document), mode });
}

/** @throws Error if it was rejected */
function changeIdOf(outcome: Outcome<unknown>): string {
  if (!outcome.ok || outcome.changeId === null) throw new Error(JSON.stringify(outcome));
  return outcome.changeId;
}

interface CountedClient {
  query: (...args: unknown[]) => unknown;
  isCounted?: true;
}

interface CountedPool {
  on(event: 'acquire', listener: (client: CountedClient) => void): void;
}

/** Counts the statements of the control plane from now on. */
function countStatements(): void {
  const pool: CountedPool = Reflect.get(services.context.get(Database, { strict: false }), 'connections');
  pool.on('acquire', (client) => {
    if (client.isCounted) return;
    client.isCounted = true;
    const { query } = client;
    client.query = (...args) => {
      statements += 1;
      return query.apply(client, args);
    };
  });
}

describe('a configuration of many tenants', () => {
  it.each<[string, ConfigTenant, { mode?: 'SYNC' }]>([
    ['creates', {}, {}],
    ['does not change', {}, {}],
    [
      'updates and moves',
      {
        name: 'Renamed',
        timeZone: 'Asia/Kolkata',
        tier: 'pro',
        overrides: [
          { api: 'shop', limit: 'day', effect: { kind: 'set', limit: 5000 }, reason: 'New contract' },
        ],
        alerts: [{ api: 'shop', limit: 'day', percents: [75] }],
      },
      {},
    ],
    ['removes the parts of', { tier: 'pro', overrides: [], alerts: [], subjectRules: [] }, { mode: 'SYNC' }],
  ])('%s them with a number of statements that does not grow with them', async (_title, change, options) => {
    const counts: number[] = [];
    for (const [prefix, tenants] of [
      ['few', FEW],
      ['many', MANY],
    ] as const) {
      const before = statements;
      const document = documentOf(prefix, tenants, change);
      expect(await apply(document, options)).toMatchObject({ ok: true });
      counts.push(statements - before);
    }
    const [few = 0, many = 0] = counts;
    expect(few).toBeGreaterThan(0);
    expect(many - few).toBeLessThanOrEqual(MAX_MORE_STATEMENTS);
  });

  it.each<[string, ConfigTenant, string[]]>([
    ['tier', { tier: 'gold' }, ['tier']],
    [
      'override',
      { overrides: [{ api: 'shop', limit: 'week', effect: { kind: 'set', limit: 1 }, reason: 'No' }] },
      ['overrides', '0', 'limit'],
    ],
    ['threshold', { alerts: [{ api: 'absent', limit: 'day', percents: [50] }] }, ['alerts', '0', 'api']],
  ])('is rejected as a whole for a wrong %s of one of them, with its path', async (_title, wrong, path) => {
    const document = documentOf('wrong', 100);
    Object.assign(document.tenants['wrong-57'] ?? {}, wrong);
    expect(await apply(document)).toMatchObject({
      ok: false,
      errors: [{ code: 'NOT_FOUND', field: ['document', 'tenants', 'wrong-57', ...path] }],
    });
    const key = { startsWith: 'wrong-' };
    expect(await owner.tenant.count({ where: { key } })).toBe(0);
    expect(await owner.outboxEvent.count({ where: { entityKey: key } })).toBe(0);
    expect(await owner.auditEntry.count({ where: { tenantKey: key } })).toBe(0);
  });

  it('records each tenant as a change of it alone does: audit chain, event and manager', async () => {
    const changeId = changeIdOf(await apply(documentOf('recorded', 30)));
    const entries = await owner.auditEntry.findMany({
      where: { changeId, tenantKey: 'recorded-7' },
      orderBy: { sequence: 'asc' },
    });
    expect(entries.map(({ action, sequence, reason }) => [action, Number(sequence), reason])).toEqual([
      ['tenant.create', 1, null],
      ['override.set', 2, 'Contract'],
      ['override.set', 3, 'Contract'],
      ['alertThresholds.change', 4, null],
      ['subjectRule.set', 5, 'Robot'],
    ]);
    expect(await owner.outboxEvent.count({ where: { changeId, entityKey: 'recorded-7' } })).toBe(1);
    const where = { key: 'recorded-7' };
    expect(
      await owner.tenant.findUniqueOrThrow({
        where,
        include: { overrides: true, alertThresholds: true, subjectRules: true },
      }),
    ).toMatchObject({
      managedBy: 'CONFIG',
      overrides: [{ managedBy: 'CONFIG' }, { managedBy: 'CONFIG' }],
      alertThresholds: [{ managedBy: 'CONFIG' }],
      subjectRules: [{ managedBy: 'CONFIG' }],
    });
  });

  it('plans them in a dry run that changes nothing, and is published to nodes as a whole', async () => {
    const document = documentOf('planned', 30);
    const planned = await apply(document, {}, true);
    expect(planned).toMatchObject({ ok: true, changeId: null, impact: { tenants: 30 } });
    expect(await owner.tenant.count({ where: { key: { startsWith: 'planned-' } } })).toBe(0);
    const changeId = changeIdOf(await apply(document));
    const published = await services.context.get(RelayService, { strict: false }).run();
    expect(published).toMatchObject({ published: true });
    expect(await owner.outboxEvent.count({ where: { changeId, revision: null } })).toBe(0);
  });

  it('holds a bounded number of locks, which all sessions of the database share', async () => {
    const { context } = services;
    const locks = () =>
      context.get(Database, { strict: false }).transaction(async (tx) => {
        const chains = Array.from({ length: 3000 }, (_, index) => `chain-${index}`);
        await tx.$queryRaw`SELECT count(*)::int FROM "tollgate_audit_heads"(${chains}::text[])`;
        const held = await tx.$queryRaw<{ locks: number }[]>`
          SELECT count(*)::int AS "locks" FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()`;
        return held[0]?.locks;
      });
    expect(await locks()).toBeLessThanOrEqual(1024);
  });
});
