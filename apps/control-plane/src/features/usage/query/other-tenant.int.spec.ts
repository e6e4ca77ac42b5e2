import { createPrismaClient, type PrismaClient } from '@tollgate/database';
import { JOURNAL_STREAM, USAGE_STREAM } from '@tollgate/decision-plane/operate';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServices, type TestServices } from '../../../../test/support/test-services.js';
import { createTenants, usageFrame, usageRow } from '../../../../test/support/usage-frames.js';
import { runInScope } from '../../../platform/tenant-scope.js';
import { UsageIngest } from '../ingest/usage-ingest.js';
import { JournalIngest } from '../journal/journal.jobs.js';
import { SamplesRepository } from '../journal/journal.repository.js';
import { UsageModule, UsageWorkerModule } from '../usage.modules.js';
import { UsageInterval } from './usage.graphql.js';
import { UsageRepository } from './usage.repository.js';

let services: TestServices;
let database: PrismaClient;
let ids: Record<string, string>;

const RANGE = { from: new Date(Date.now() - 3 * 86_400_000), to: new Date(Date.now() + 60_000) };
const PAGE = { first: 10, after: undefined };
const ANY = {
  apiKey: undefined,
  operation: undefined,
  limitName: undefined,
  outcome: undefined,
  subject: undefined,
};

beforeAll(async () => {
  services = await startTestServices([UsageWorkerModule, UsageModule]);
  database = createPrismaClient(services.ownerUrl, { max: 2 });
  ids = await createTenants(database, { acme: 'UTC', other: 'UTC' });
  const redis = new Redis(services.redisUrl);
  const names = { tenant: 'acme', api: 'shop', limit: 'l', counter: 'k' };
  const crossing = { ...names, id: 'c', percent: 80, used: 8, capacity: 10, atMs: Date.now() };
  const offender = { ...names, units: 5, error: 0 };
  await USAGE_STREAM.write(
    redis,
    usageFrame(1, [usageRow()], { crossings: [crossing], offenders: [offender] }),
  );
  const sample = {
    requestId: 'req_1',
    atMs: Date.now(),
    tenant: 'acme',
    api: 'shop',
    operation: 'buy',
    cost: 1,
    outcome: 'allowed' as const,
    reason: 'WITHIN_LIMIT' as const,
    limit: null,
    policies: [],
    retryAfter: null,
    delayMs: 0,
    revision: 1,
  };
  await JOURNAL_STREAM.write(redis, { nodeId: 'n', atMs: Date.now(), samples: [sample], checkpoints: [] });
  redis.disconnect();
  await services.context.get(UsageIngest, { strict: false }).run();
  await services.context.get(JournalIngest, { strict: false }).run();
});
afterAll(async () => {
  await database?.$disconnect();
  await services?.stop();
});

const usage = () => services.context.get(UsageRepository, { strict: false });
const samples = () => services.context.get(SamplesRepository, { strict: false });
const acme = () => ids.acme ?? '';

describe('usage of a tenant', () => {
  it.each<[string, () => Promise<unknown>, unknown]>([
    ['points', () => usage().list(acme(), UsageInterval.HOUR, RANGE, {}, []), []],
    ['tenants compared', () => usage().listTop(UsageInterval.HOUR, RANGE, {}, 'count', 10), []],
    ['the peak', () => usage().findPeak(acme(), UsageInterval.HOUR, RANGE), null],
    ['the sum', async () => (await usage().sum(acme(), UsageInterval.DAY, RANGE)).count, 0],
    ['busiest minutes', () => usage().listPeaks(acme(), RANGE.from), []],
    ['crossings', () => usage().listCrossings(acme(), undefined, PAGE), []],
    ['the number of crossings', () => usage().countCrossings(acme(), undefined), 0],
    ['offenders', () => usage().listOffenders(undefined, RANGE, 10), []],
    ['sampled decisions', () => samples().list(acme(), ANY, PAGE), []],
    ['the number of sampled decisions', () => samples().count(acme(), ANY), 0],
    ['a decision by its request', () => samples().findByRequest('req_1', undefined), null],
  ])('%s are visible to their tenant and not to another', async (_, read, nothing) => {
    expect(await runInScope([acme()], read)).not.toEqual(nothing);
    expect(await runInScope([ids.other ?? ''], read)).toEqual(nothing);
  });
});
