import type { LimitPolicy } from '@tollgate/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CALLER } from '../../../../test/support/test-app.js';
import { startTestServices, type TestServices } from '../../../../test/support/test-services.js';
import { Database } from '../../../platform/prisma/database.js';
import { CustomersModule, TenantsService } from '../../customers/index.js';
import { ApisService } from '../apis/apis.service.js';
import { PoolsService } from '../apis/pools.service.js';
import { CatalogueModule } from '../catalogue.module.js';
import { TiersRepository } from '../tiers/tiers.repository.js';
import { TiersService } from '../tiers/tiers.service.js';
import type { LimitInput } from './limit.inputs.js';

const LIMIT: LimitInput = {
  name: 'every-request',
  apiKey: 'shop',
  operations: ['buy'],
  per: ['user'],
  algorithm: 'FIXED_WINDOW',
  limit: 10,
  windowMs: 60_000,
};
const STORED = {
  name: 'every-request',
  api: 'shop',
  operations: ['buy'],
  per: ['user'],
  limit: 10,
  windowMs: 60_000,
  onUnavailable: 'share',
};
const { windowMs: _windowMs, ...TIMELESS } = STORED;
const FIXED = { ...STORED, algorithm: 'fixed_window', alignment: 'clock' };

let services: TestServices;
let tiers: TiersService;

beforeAll(async () => {
  services = await startTestServices([CatalogueModule, CustomersModule]);
  tiers = services.context.get(TiersService);
  const apis = services.context.get(ApisService);
  for (const key of ['shop', 'bank']) {
    await apis.create(CALLER, { key, name: key });
    await apis.createOperation(CALLER, { apiKey: key, name: 'buy', expectedVersion: 1 });
  }
  await apis.createOperation(CALLER, { apiKey: 'shop', name: 'sell', cost: 20, expectedVersion: 2 });
  const pool = { apiKey: 'shop', name: 'spare', operations: [], capacity: 100, expectedVersion: 3 };
  expect(await services.context.get(PoolsService).create(CALLER, pool)).toMatchObject({ ok: true });
  await tiers.create(CALLER, { key: 'basic', name: 'Basic' });
});
afterAll(() => services.stop());

describe('a saved limit is read back unchanged', () => {
  const none = { windowMs: null };
  it.each<[string, Partial<LimitInput>, object]>([
    ['fixed window', { alignment: 'FIRST_REQUEST' }, { ...FIXED, alignment: 'first_request' }],
    ['log', { algorithm: 'SLIDING_WINDOW_LOG' }, { ...STORED, algorithm: 'sliding_window_log' }],
    [
      'counter',
      { algorithm: 'SLIDING_WINDOW_COUNTER', buckets: 60 },
      { ...STORED, algorithm: 'sliding_window_counter', buckets: 60 },
    ],
    [
      'token bucket',
      { algorithm: 'TOKEN_BUCKET', capacity: 50, refill: 'INTERVAL' },
      { ...STORED, algorithm: 'token_bucket', capacity: 50, refill: 'interval' },
    ],
    [
      'leaky bucket',
      { algorithm: 'LEAKY_BUCKET', queue: 5 },
      { ...STORED, algorithm: 'leaky_bucket', queue: 5 },
    ],
    ['gcra', { algorithm: 'GCRA', burst: 5 }, { ...STORED, algorithm: 'gcra', burst: 5 }],
    [
      'concurrency',
      { algorithm: 'CONCURRENCY', leaseMs: 5000, ...none },
      { ...TIMELESS, algorithm: 'concurrency', leaseMs: 5000 },
    ],
    [
      'quota',
      { algorithm: 'QUOTA', period: 'BILLING', ...none },
      { ...TIMELESS, algorithm: 'quota', period: 'billing' },
    ],
    [
      'soft',
      { throttle: { mode: 'SOFT', percent: 10 } },
      { ...FIXED, throttle: { mode: 'soft', percent: 10 } },
    ],
    [
      'elastic',
      { throttle: { mode: 'ELASTIC', maxPercent: 50, pool: 'spare' } },
      { ...FIXED, throttle: { mode: 'elastic', maxPercent: 50, pool: 'spare' } },
    ],
    ['blocked', { limit: 0 }, { ...FIXED, limit: 0 }],
    ['shadow', { enforcement: { mode: 'SHADOW' } }, { ...FIXED, enforcement: { mode: 'shadow' } }],
    [
      'percent',
      { enforcement: { mode: 'PERCENT', percent: 25 } },
      { ...FIXED, enforcement: { mode: 'percent', percent: 25 } },
    ],
    ['deadline', { deadlineMs: 250 }, { ...FIXED, deadlineMs: 250 }],
    ['on success', { charge: 'ON_SUCCESS' }, { ...FIXED, charge: 'on_success' }],
    [
      'leased',
      { consistency: { mode: 'LEASED', leaseMs: 1000 } },
      { ...FIXED, consistency: { mode: 'leased', leaseMs: 1000 } },
    ],
    [
      'candidate',
      { candidate: { algorithm: 'SLIDING_WINDOW_LOG', limit: 5, windowMs: 1000 } },
      { ...FIXED, candidate: { algorithm: 'sliding_window_log', limit: 5, windowMs: 1000 } },
    ],
    [
      'packed',
      { storage: 'PACKED', expectedSubjects: 500 },
      { ...FIXED, storage: 'packed', expectedSubjects: 500 },
    ],
    [
      'penalized',
      { penalty: { denials: 9, windowMs: 60_000, blockMs: 1000, maxBlockMs: 2_592_000_000 } },
      { ...FIXED, penalty: { denials: 9, windowMs: 60_000, blockMs: 1000, maxBlockMs: 2_592_000_000 } },
    ],
    [
      'several APIs',
      { limit: 100, operations: [], alsoApis: ['bank'] },
      { ...FIXED, limit: 100, operations: [], alsoApis: ['bank'] },
    ],
    ['one value per subject', { storage: 'SUBJECT' }, { ...FIXED, storage: 'subject' }],
    [
      'warming up',
      { warmUp: { ms: 600_000, startPercent: 40 } },
      { ...FIXED, warmUp: { ms: 600_000, startPercent: 40 } },
    ],
    [
      'per network',
      { per: ['ip'], ipv4Prefix: 24, ipv6Prefix: 48 },
      { ...FIXED, per: ['ip'], ipv4Prefix: 24, ipv6Prefix: 48 },
    ],
    [
      'amounts per label',
      { amounts: { by: 'region', labels: [{ label: 'eu', limit: 1 }], others: 0 } },
      { ...FIXED, amounts: { by: 'region', labels: [{ label: 'eu', limit: 1 }], others: 0 } },
    ],
    ['global', { per: ['global', 'ip'] }, { ...FIXED, per: ['global', 'ip'] }],
  ])('%s', async (_name, more, stored) => {
    const { record, policy } = await saveAndRead({ ...LIMIT, ...more });
    expect(policy).toEqual(stored);
    // A client may send the limit that it received.
    const { id: _id, tierVersionId: _version, policy: _policy, ...shown } = record;
    expect(await saveAndRead(shown)).toMatchObject({ policy: stored });
  });

  it('without a terms column, as stored by earlier versions', async () => {
    await saveAndRead(LIMIT);
    const { client } = services.context.get(Database);
    await client.$executeRaw`UPDATE "limit" SET "terms" = DEFAULT`;
    const [record] = await readDraft();
    expect(record).toMatchObject({
      policy: FIXED,
      throttle: { mode: 'HARD', percent: null },
      enforcement: { mode: 'ENFORCE' },
      charge: 'ALWAYS',
      consistency: { mode: 'STRICT' },
      candidate: null,
    });
  });

  it('throws for a row that is not a valid policy', async () => {
    await saveAndRead(LIMIT);
    const { client } = services.context.get(Database);
    await client.$executeRaw`UPDATE "limit" SET "terms" = '{"throttle":{"mode":"soft"}}'`;
    await expect(readDraft()).rejects.toThrow(/holds no policy/);
    await client.$executeRaw`UPDATE "limit" SET "terms" = DEFAULT`;
  });
});

describe('a draft is rejected', () => {
  const elastic = (pool: string, apiKey: string): LimitInput => ({
    ...LIMIT,
    apiKey,
    throttle: { mode: 'ELASTIC', maxPercent: 50, pool },
  });

  it.each([
    ['for a pool that does not exist', elastic('nowhere', 'shop')],
    ['for a pool of another API', elastic('spare', 'bank')],
  ])('%s, with the field', async (_name, limit) => {
    expect(await save([limit])).toMatchObject({
      ok: false,
      errors: [{ code: 'NOT_FOUND', field: ['limits', '0', 'throttle', 'pool'] }],
    });
  });

  it.each([
    ['shorter than 5 ms', 4, /must be 5 or more; leave it out to use the node's deadline/],
    ['longer than a second', 1001, /must be 1,000 \(a second\) at most; leave it out/],
  ])('for a deadline that is %s, with the field', async (_name, deadlineMs, message) => {
    const refused = await save([{ ...LIMIT, deadlineMs }]);
    expect(refused).toMatchObject({
      ok: false,
      errors: [{ code: 'INVALID', field: ['limits', '0', 'deadlineMs'] }],
    });
    expect(refused.ok ? '' : refused.errors[0]?.message).toMatch(message);
  });

  it.each<[string, Partial<LimitInput>, string]>([
    ['a window', {}, 'limit'],
    ['a burst', { algorithm: 'GCRA', burst: 18 }, 'burst'],
    ['a bucket', { algorithm: 'TOKEN_BUCKET', capacity: 19, limit: 100 }, 'capacity'],
    ['a queue', { algorithm: 'LEAKY_BUCKET', queue: 18 }, 'queue'],
  ])('for %s that admits less at once than an operation costs', async (_name, more, field) => {
    const limit = { ...LIMIT, limit: 19, ...more };
    for (const operations of [['sell'], []]) {
      const refused = await save([{ ...limit, operations }]);
      expect(refused).toMatchObject({
        ok: false,
        errors: [{ code: 'INVALID', field: ['limits', '0', field] }],
      });
      expect(refused.ok ? '' : refused.errors[0]?.message).toMatch(/"sell" costs 20; at most 19 /);
    }
    expect(await save([{ ...limit, operations: ['buy'] }])).toMatchObject({ ok: true });
    const raised = { ...limit, [field]: Number(limit[field as 'limit']) + 1, operations: [] };
    expect(await save([raised])).toMatchObject({ ok: true });
  });

  it.each<[string, Partial<LimitInput>, object]>([
    [
      'an unknown further API',
      { alsoApis: ['mail'] },
      { code: 'NOT_FOUND', field: ['limits', '0', 'alsoApis', '0'] },
    ],
    [
      'a shared name in a further API',
      { alsoApis: ['bank'] },
      { code: 'TAKEN', field: ['limits', '0', 'name'] },
    ],
    ['a shared name in some API', { alsoApis: ['*'] }, { code: 'TAKEN', field: ['limits', '0', 'name'] }],
    [
      'a costly operation of a further API',
      { name: 'app', limit: 4, alsoApis: ['bank'] },
      { field: ['limits', '0', 'limit'] },
    ],
  ])('for %s', async (_name, more, error) => {
    await raise('bank', 5);
    const wide = { ...LIMIT, limit: 100, operations: [], ...more };
    expect(await save([wide, { ...LIMIT, apiKey: 'bank' }])).toMatchObject({ ok: false, errors: [error] });
    await raise('bank', 1);
  });

  it('for more than 16 limits on an operation, candidates included, with its name', async () => {
    const candidate = { algorithm: 'GCRA' as const, limit: 1, windowMs: 1000 };
    const limits = (count: number) =>
      Array.from({ length: count }, (_, i): LimitInput => ({ ...LIMIT, name: `l${i}`, candidate }));
    const refused = await save(limits(9));
    expect(refused).toMatchObject({ ok: false, errors: [{ code: 'INVALID', field: ['limits'] }] });
    expect(refused.ok ? '' : refused.errors[0]?.message).toMatch(/"buy" of API "shop" would have 18/);
    expect(await save(limits(8))).toMatchObject({ ok: true });
  });
});

describe('a publication is rejected', () => {
  const perMinute: LimitInput = { ...LIMIT, algorithm: 'SLIDING_WINDOW_LOG' };
  const perHour: LimitInput = { ...perMinute, name: 'per-hour', limit: 600, windowMs: 3_600_000 };

  it('for an unreachable limit, with its path and the limit that denies first', async () => {
    expect(await save([perHour, perMinute])).toMatchObject({ ok: true });
    const refused = await publish();
    expect(refused).toMatchObject({ errors: [{ code: 'INVALID', field: ['limits', '0', 'limit'] }] });
    expect(refused.ok ? '' : refused.errors[0]?.message).toMatch(
      /"per-hour" can never .* "every-request" \(/,
    );
    expect(await save([{ ...perHour, limit: 599 }, perMinute])).toMatchObject({ ok: true });
    expect(await publish()).toMatchObject({ ok: true });
  });

  it('for no limit that some tenants or requests reach', async () => {
    const [shared, networks] = [
      { sharedWithChildren: true, per: [] },
      { per: ['ip'], ipv4Prefix: 24 },
    ];
    const quota: LimitInput = {
      apiKey: 'bank',
      name: 'month',
      operations: [],
      per: [],
      algorithm: 'QUOTA',
      limit: 100,
      period: 'MONTH',
    };
    const accepted: LimitInput[][] = [
      [
        { ...perMinute, per: [] },
        { ...perHour, ...shared },
      ],
      [
        { ...perMinute, per: ['ip'] },
        { ...perHour, ...networks },
      ],
      [
        { ...perMinute, ...shared },
        { ...perHour, ...shared },
      ],
      [
        { ...quota, rolloverPercent: 50 },
        { ...quota, name: 'other-month', limit: 120 },
      ],
    ];
    for (const limits of accepted) {
      expect(await save(limits)).toMatchObject({ ok: true });
      expect(await publish(), JSON.stringify(limits)).toMatchObject({ ok: true });
    }
  });

  it('for a limit that admits less than the cost of an operation that changed since the draft was saved', async () => {
    expect(await save([{ ...LIMIT, apiKey: 'bank', operations: [] }])).toMatchObject({ ok: true });
    expect(await raise('bank', 11)).toMatchObject({ ok: true });
    const refused = await publish();
    expect(refused).toMatchObject({ errors: [{ code: 'INVALID', field: ['limits', '0', 'limit'] }] });
    expect(refused.ok ? '' : refused.errors[0]?.message).toMatch(/"buy" costs 11; at most 10 /);
    expect(await raise('bank', 10)).toMatchObject({ ok: true });
    expect(await publish()).toMatchObject({ ok: true });
  });

  it('for more than 8 limits that warm up, or two of different length', async () => {
    const bank: LimitInput = { ...LIMIT, apiKey: 'bank', operations: [] };
    const warming = (count: number, step: number): LimitInput[] =>
      Array.from({ length: count }, (_, i) => ({
        ...{ ...bank, name: `l${i}`, limit: 20 + i, windowMs: 60_000 * (i + 1) },
        warmUp: { ms: 600_000 + i * step, startPercent: 40 },
      }));
    const messages: [LimitInput[], RegExp][] = [
      [warming(9, 0), /^At most 8 limits .* this one has 9$/],
      [warming(2, 1), /same warmUp.ms$/],
    ];
    for (const [limits, message] of messages) {
      expect(await save(limits)).toMatchObject({ ok: true });
      const refused = await publish();
      expect(refused).toMatchObject({ errors: [{ code: 'INVALID', field: ['limits'] }] });
      expect(refused.ok ? '' : refused.errors[0]?.message).toMatch(message);
    }
    expect(await save([bank])).toMatchObject({ ok: true });
  });
});

describe('an operation with a live limit', () => {
  it('cannot cost more than a published limit admits at once, which the error names', async () => {
    const refused = await raise('bank', 11);
    expect(refused).toMatchObject({ ok: false, errors: [{ code: 'INVALID', field: ['cost'] }] });
    expect(refused.ok ? '' : refused.errors[0]?.message).toMatch(
      /"every-request" of tier "basic", version \d+,.* 10 /,
    );
    expect(await raise('bank', 9)).toMatchObject({ ok: true });
  });

  it('cannot be added with a higher cost than a published limit on all operations admits', async () => {
    const sell = { apiKey: 'bank', name: 'sell', cost: 11, expectedVersion: await apiVersion('bank') };
    const apis = services.context.get(ApisService);
    expect(await apis.createOperation(CALLER, sell)).toMatchObject({ errors: [{ field: ['cost'] }] });
    expect(await apis.createOperation(CALLER, { ...sell, cost: 10 })).toMatchObject({ ok: true });
  });

  it('is bound by an archived version only while a tenant is pinned to it', async () => {
    // Version 1 has a limit of 10 on `buy` of `shop`; version 2 has none.
    expect(await raise('shop', 11)).toMatchObject({ ok: true });
    expect(await raise('shop', 1)).toMatchObject({ ok: true });
    const tenants = services.context.get(TenantsService);
    await tenants.create(CALLER, { key: 'acme', name: 'Acme', tierKey: 'basic' });
    const pin = { tenantKey: 'acme', tierKey: 'basic', pinnedVersion: 1, expectedVersion: 1 };
    expect(await tenants.changeTier(CALLER, pin)).toMatchObject({ ok: true });
    const refused = await raise('shop', 11);
    expect(refused).toMatchObject({ ok: false, errors: [{ code: 'INVALID', field: ['cost'] }] });
    expect(refused.ok ? '' : refused.errors[0]?.message).toMatch(/tier "basic", version 1,/);
  });
});

describe('a published limit on several APIs', () => {
  const wide: LimitInput = { ...LIMIT, name: 'app', limit: 100, operations: [], alsoApis: ['mail'] };

  it('keeps its APIs from being deleted, and bounds the cost of their operations', async () => {
    const apis = services.context.get(ApisService);
    await apis.create(CALLER, { key: 'mail', name: 'Mail' });
    expect(await save([wide])).toMatchObject({ ok: true });
    expect(await publish()).toMatchObject({ ok: true });
    const send = { apiKey: 'mail', name: 'send', cost: 101, expectedVersion: await apiVersion('mail') };
    expect(await apis.createOperation(CALLER, send)).toMatchObject({ errors: [{ field: ['cost'] }] });
    const mail = { apiKey: 'mail', expectedVersion: await apiVersion('mail') };
    expect(await apis.delete(CALLER, mail)).toMatchObject({ errors: [{ code: 'IN_USE' }] });
    expect(await save([{ ...wide, alsoApis: [] }])).toMatchObject({ ok: true });
    expect(await publish()).toMatchObject({ ok: true });
    expect(await apis.delete(CALLER, mail)).toMatchObject({ ok: true });
  });
});

async function publish() {
  const { version } = (await tiers.findByKey('basic')) ?? { version: 0 };
  return tiers.publish(CALLER, { tierKey: 'basic', expectedVersion: version });
}

/** Sets the cost of `buy`. */
async function raise(apiKey: string, cost: number) {
  const expectedVersion = await apiVersion(apiKey);
  return services.context
    .get(ApisService)
    .updateOperation(CALLER, { apiKey, name: 'buy', cost, expectedVersion });
}

async function apiVersion(key: string): Promise<number> {
  return (await services.context.get(ApisService).findByKey(key))?.version ?? 0;
}

async function save(limits: LimitInput[]) {
  const { version } = (await tiers.findByKey('basic')) ?? { version: 0 };
  return tiers.saveDraft(CALLER, { tierKey: 'basic', expectedVersion: version, limits });
}

async function saveAndRead(limit: LimitInput) {
  expect(await save([limit])).toMatchObject({ ok: true });
  const [record] = await readDraft();
  if (record === undefined) throw new Error('The draft has no limit');
  const policy: LimitPolicy = record.policy;
  return { record, policy };
}

async function readDraft() {
  const { client } = services.context.get(Database);
  const draft = await client.tierVersion.findFirstOrThrow({ where: { status: 'DRAFT' } });
  return (await services.context.get(TiersRepository).listLimits([draft.id])).get(draft.id) ?? [];
}
