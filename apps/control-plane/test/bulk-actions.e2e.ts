import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BulkActionsRepository } from '../src/features/customers/index.js';
import { Database } from '../src/platform/prisma/database.js';
import { runInScope } from '../src/platform/tenant-scope.js';
import { describeStart } from './bulk-actions/start-suite.js';
import { BulkApp } from './support/bulk-app.js';
import { versionOf } from './support/policy-factory.js';

const bulk = new BulkApp();
const { run, start, undo, cancel, work, find, tiersOf, limitOf } = bulk;

beforeAll(() => bulk.begin());
afterAll(() => bulk.stop());

describe('a bulk action', () => {
  it('reports affected tenants and refusals in a dry run', async () => {
    const tried = await start({
      kind: 'TIER_CHANGE',
      tierKey: 'plus',
      filter: { search: 'bulk-' },
      dryRun: true,
    });
    expect(tried).toMatchObject({
      ...{ bulkAction: null, tenants: 4, tried: 4, refusals: [], userErrors: [] },
      impact: { tenants: 4, increased: 4, decreased: 0 },
    });
    const refused = await start({ kind: 'RESUME', tenantKeys: ['bulk-1', 'bulk-2'], dryRun: true });
    expect(refused.refusals).toEqual([
      { tenantKey: 'bulk-1', message: 'The tenant is already active.' },
      { tenantKey: 'bulk-2', message: 'The tenant is already active.' },
    ]);
    expect(await bulk.app.database.bulkAction.count()).toBe(0);
  });

  it('runs per tenant, reports refusals, and undoes all but tenants changed since', async () => {
    const version = await versionOf(bulk.app, 'tenant', 'bulk-2');
    await run(
      'tenantTierChange',
      'TenantTierChangeInput',
      { tenantKey: 'bulk-2', tierKey: 'plus', expectedVersion: version },
      'changeId',
    );
    const filter = { search: 'bulk-', tier: null, status: 'ACTIVE', expectedCount: 4 };
    const started = await start({ kind: 'TIER_CHANGE', tierKey: 'plus', filter });
    expect(started).toMatchObject({ tenants: 4, userErrors: [], bulkAction: { status: 'QUEUED' } });
    await work();
    const done = await find(started.bulkAction.id);
    expect(done).toMatchObject({
      ...{
        status: 'DONE',
        kind: 'TIER_CHANGE',
        reason: 'spring sale',
        startedBy: expect.stringContaining('test'),
      },
      ...{ input: { tierKey: 'plus', carryOver: 'KEEP' }, finishedAt: expect.any(String) },
      progress: { total: 4, pending: 0, done: 3, failed: 1, canceled: 0 },
    });
    expect(done.items.nodes).toMatchObject([
      { tenantKey: 'bulk-1', status: 'DONE', changeId: expect.stringMatching(/^chg_/), error: null },
      { tenantKey: 'bulk-2', status: 'FAILED', changeId: null, error: 'The tenant is already on Plus.' },
      { tenantKey: 'bulk-3', status: 'DONE' },
      { tenantKey: 'bulk-4', status: 'DONE' },
    ]);
    expect(await tiersOf('bulk-1', 'bulk-3', 'bulk-4')).toEqual(['plus', 'plus', 'plus']);

    const trail = await bulk.app.database.auditEntry.findFirst({
      where: { tenantKey: 'bulk-1' },
      orderBy: { id: 'desc' },
    });
    expect(trail).toMatchObject({ action: 'tenant.tierChange', reason: 'spring sale', actorKind: 'TOKEN' });
    expect(trail?.changeId).toBe(done.items.nodes[0].changeId);

    await run(
      'tenantTierChange',
      'TenantTierChangeInput',
      {
        tenantKey: 'bulk-3',
        tierKey: 'basic',
        expectedVersion: await versionOf(bulk.app, 'tenant', 'bulk-3'),
      },
      'changeId',
    );
    expect(await undo(done.id, { dryRun: true })).toMatchObject({
      ...{ tenants: 3, tried: 3, impact: { tenants: 2, increased: 0, decreased: 2 } },
      refusals: [{ tenantKey: 'bulk-3', message: 'The tenant has since moved to Basic.' }],
    });
    const back = await undo(done.id);
    await work();
    expect(await find(back.bulkAction.id)).toMatchObject({
      ...{ kind: 'UNDO', status: 'DONE', revertsId: done.id },
      progress: { total: 3, done: 2, failed: 1 },
    });
    expect(await tiersOf('bulk-1', 'bulk-2', 'bulk-3', 'bulk-4')).toEqual([
      'basic',
      'plus',
      'basic',
      'basic',
    ]);
    expect((await find(done.id)).revertedById).toBe(back.bulkAction.id);
    expect((await undo(done.id)).userErrors).toMatchObject([{ code: 'TAKEN' }]);
    expect((await undo(back.bulkAction.id)).userErrors).toMatchObject([{ code: 'INVALID' }]);
  });

  it('starts boosts and undoes them', async () => {
    const endsAt = new Date(Date.now() + 3_600_000).toISOString();
    const adjustment = { apiKey: 'shop', effect: { kind: 'MULTIPLY', percent: 200 }, endsAt };
    const { bulkAction } = await start({
      kind: 'BOOST',
      adjustment,
      tenantKeys: ['bulk-1', 'bulk-3', 'bulk-1'],
    });
    await work();
    expect((await find(bulkAction.id)).progress).toMatchObject({ total: 2, done: 2 });
    expect(await limitOf('bulk-3')).toEqual([20, 'BOOST']);
    await undo(bulkAction.id);
    await work();
    expect(await limitOf('bulk-3')).toEqual([10, 'TIER']);
  });

  it('replaces an existing override and restores it on undo', async () => {
    const set = (limit: number) => ({ apiKey: 'shop', limit: 'per-minute', effect: { kind: 'SET', limit } });
    await run(
      'overrideSet',
      'OverrideSetInput',
      {
        tenantKey: 'bulk-4',
        expectedVersion: await versionOf(bulk.app, 'tenant', 'bulk-4'),
        reason: 'asked',
        ...set(77),
      },
      'changeId',
    );
    const { bulkAction } = await start({
      kind: 'OVERRIDE',
      adjustment: set(5),
      tenantKeys: ['bulk-3', 'bulk-4'],
    });
    await work();
    expect([await limitOf('bulk-3'), await limitOf('bulk-4')]).toEqual([
      [5, 'OVERRIDE'],
      [5, 'OVERRIDE'],
    ]);
    await undo(bulkAction.id);
    await work();
    expect([await limitOf('bulk-3'), await limitOf('bulk-4')]).toEqual([
      [10, 'TIER'],
      [77, 'OVERRIDE'],
    ]);
  });

  it('is canceled before it has processed all tenants', async () => {
    const { bulkAction } = await start({ kind: 'SUSPEND', filter: { search: 'bulk-' } });
    const stopped = await cancel(bulkAction.id);
    expect(stopped.bulkAction).toMatchObject({
      ...{ status: 'CANCELED', stoppedBecause: expect.stringMatching(/^Canceled by test/) },
      progress: { canceled: 4, pending: 0, done: 0 },
    });
    await work();
    expect(await bulk.app.database.tenant.count({ where: { status: 'SUSPENDED' } })).toBe(0);
    expect((await cancel(bulkAction.id)).userErrors).toMatchObject([{ code: 'INVALID' }]);
    expect((await undo(bulkAction.id)).userErrors).toMatchObject([
      { code: 'INVALID', message: 'The bulk action changed nothing that can be undone.' },
    ]);
  });

  it('stops when its author loses the permission', async () => {
    const headers = await bulk.app.signIn('SUPPORT');
    const { bulkAction } = await start({ kind: 'SUSPEND', tenantKeys: ['bulk-1'] }, headers);
    await bulk.app.database.user.updateMany({
      where: { role: 'SUPPORT' },
      data: { suspendedAt: new Date() },
    });
    await work();
    expect(await find(bulkAction.id)).toMatchObject({
      ...{ status: 'CANCELED', stoppedBecause: expect.stringMatching(/no longer has permission$/) },
      progress: { canceled: 1 },
    });
  });

  it('is listed, newest first', async () => {
    const { data } = await bulk.app.graphql(
      '{ bulkActions(first: 2) { totalCount nodes { id kind } pageInfo { hasNextPage } } }',
    );
    expect(data.bulkActions.nodes).toHaveLength(2);
    expect(data.bulkActions.pageInfo.hasNextPage).toBe(true);
    expect((await bulk.app.graphql('{ bulkAction(id: "nothing") { id } }')).data.bulkAction).toBeNull();
  });
});

describeStart(bulk);

describe('an action in the scope of a tenant', () => {
  it('shows nothing of other tenants', async () => {
    const { bulkAction } = await start({ kind: 'SUSPEND', tenantKeys: ['bulk-1', 'bulk-2'] });
    const actions = bulk.worker.get(BulkActionsRepository, { strict: false });
    const [own, other] = await Promise.all(
      ['bulk-1', 'bulk-2'].map((key) => bulk.app.database.tenant.findUniqueOrThrow({ where: { key } })),
    );
    const page = { first: 10, after: undefined };
    const tx = bulk.worker.get(Database, { strict: false });
    await runInScope([own?.id ?? ''], async () => {
      expect(await actions.listItems(bulkAction.id, undefined, page)).toMatchObject([
        { tenantKey: 'bulk-1' },
      ]);
      expect(await actions.countItems(bulkAction.id)).toMatchObject({ PENDING: 1 });
      expect(await actions.findItem(tx.client, bulkAction.id, other?.id ?? '')).toBeNull();
      expect(await actions.listDone(tx.client, bulkAction.id)).toEqual([]);
    });
    await cancel(bulkAction.id);
  });
});

describe('the list of tenants', () => {
  const list = async (args: string) => {
    const { data, errors } = await bulk.app.graphql(`{ tenants(${args}) { totalCount nodes { key } } }`);
    return errors[0]?.extensions.code ?? data.tenants.nodes.map(({ key }: { key: string }) => key);
  };

  it('can start at any position', async () => {
    expect(await list('first: 2, skip: 3')).toEqual(['bulk-3', 'bulk-4']);
    expect(await list('first: 2, skip: 99')).toEqual([]);
    expect(await list('first: 1, skip: 1, search: "bulk-"')).toEqual(['bulk-2']);
    expect(await list('skip: -1')).toBe('BAD_USER_INPUT');
    expect(await list('skip: 10001')).toBe('BAD_USER_INPUT');
    const { data } = await bulk.app.graphql('{ tenants(first: 1) { pageInfo { endCursor } } }');
    expect(await list(`skip: 1, after: "${data.tenants.pageInfo.endCursor}"`)).toBe('BAD_USER_INPUT');
  });
});
