import { eventually } from '@tollgate/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CALLER } from '../../../../test/support/test-app.js';
import { startTestServices, type TestServices } from '../../../../test/support/test-services.js';
import { ChangeRunner } from '../../../platform/changes/change.js';
import { Database } from '../../../platform/prisma/database.js';
import { ApisService } from '../apis/apis.service.js';
import { CatalogueModule } from '../catalogue.module.js';
import { TiersService } from '../tiers/tiers.service.js';
import { DefaultLimitsService } from './default-limits.js';
import type { DefaultLimitInput } from './limit.inputs.js';

const KEY: DefaultLimitInput = {
  name: 'per-user',
  operations: [],
  per: ['user'],
  algorithm: 'FIXED_WINDOW',
  limit: 10,
  windowMs: 60_000,
};
const PACKED: DefaultLimitInput = { ...KEY, storage: 'PACKED', expectedSubjects: 500 };
const SUBJECT: DefaultLimitInput = { ...KEY, storage: 'SUBJECT' };

let services: TestServices;
let database: Database;
let tiers: TiersService;
let apiKey: string;
let count = 0;

beforeAll(async () => {
  services = await startTestServices([CatalogueModule]);
  database = services.context.get(Database);
  tiers = services.context.get(TiersService);
});
afterAll(() => services.stop());

beforeEach(async () => {
  apiKey = `shop-${++count}`;
  await services.context.get(ApisService).create(CALLER, { key: apiKey, name: 'Shop' });
  for (const name of ['free', 'pro']) await tiers.create(CALLER, { key: tierKey(name), name });
});

const tierKey = (name: string) => `${name}-${count}`;

async function publish(name: string, limits: DefaultLimitInput[], key = apiKey) {
  const { version = 0 } = (await tiers.findByKey(tierKey(name))) ?? {};
  return tiers.publish(CALLER, {
    tierKey: tierKey(name),
    expectedVersion: version,
    limits: limits.map((limit) => ({ ...limit, apiKey: key })),
  });
}

async function setDefaults(limits: DefaultLimitInput[]) {
  const { version = 0 } = (await services.context.get(ApisService).findByKey(apiKey)) ?? {};
  const defaults = services.context.get(DefaultLimitsService);
  return defaults.set(CALLER, { apiKey, expectedVersion: version, limits });
}

const refusal = (field: string[], message: string) => ({
  ok: false,
  errors: [{ code: 'INVALID', field, message }],
});

const keeps = (storage: string, where: string, other: string) =>
  refusal(
    ['limits', '0', 'storage'],
    `Limit "per-user" of API "${apiKey}" has storage ${storage} in ${where}, which cannot change to ${other}. Create a limit with another name.`,
  );

describe('the storage of a limit', () => {
  it('is that of a default limit that no tier has inherited yet', async () => {
    for (const limit of [PACKED, KEY, PACKED]) expect(await setDefaults([limit])).toMatchObject({ ok: true });
    expect(await publish('free', [KEY])).toMatchObject(keeps('packed', 'default limits', 'key'));
    expect(await publish('free', [PACKED])).toMatchObject({ ok: true });
  });

  it.each([
    ['key', KEY, 'packed', PACKED],
    ['packed', PACKED, 'key', KEY],
    ['subject', SUBJECT, 'key', KEY],
    ['packed', PACKED, 'subject', SUBJECT],
  ])('cannot change from %s in a later version of its tier', async (storage, before, other, after) => {
    expect(await publish('free', [before])).toMatchObject({ ok: true });
    expect(await publish('free', [after])).toMatchObject(
      keeps(storage, `version 1 of tier "${tierKey('free')}"`, other),
    );
    expect(await publish('free', [{ ...after, name: 'per-user-2' }])).toMatchObject({ ok: true });
  });

  it('cannot change while the limit is removed: tenants may be pinned to the version that has it', async () => {
    await publish('free', [PACKED]);
    await publish('free', [{ ...KEY, name: 'other' }]);
    expect(await publish('free', [KEY])).toMatchObject(
      keeps('packed', `version 1 of tier "${tierKey('free')}"`, 'key'),
    );
    expect(await publish('free', [PACKED])).toMatchObject({ ok: true });
  });

  it('is the same in all tiers, because tenants keep their counters when they change tiers', async () => {
    await publish('free', [PACKED]);
    expect(await publish('pro', [KEY])).toMatchObject(
      keeps('packed', `version 1 of tier "${tierKey('free')}"`, 'key'),
    );
    expect(await publish('pro', [{ ...PACKED, limit: 100, windowMs: 1000 }])).toMatchObject({ ok: true });
  });

  it('depends on the API', async () => {
    await publish('free', [PACKED]);
    const other = `bank-${count}`;
    await services.context.get(ApisService).create(CALLER, { key: other, name: 'Bank' });
    expect(await publish('pro', [KEY], other)).toMatchObject({ ok: true });
  });

  it('may differ in a draft until it is published', async () => {
    await publish('free', [PACKED]);
    const limits = [{ ...KEY, apiKey }];
    const draft = { tierKey: tierKey('pro'), expectedVersion: 1, limits };
    expect(await tiers.saveDraft(CALLER, draft)).toMatchObject({ ok: true });
    expect(await publish('free', [{ ...PACKED, limit: 20 }])).toMatchObject({ ok: true });
    expect(await tiers.publish(CALLER, { tierKey: tierKey('pro'), expectedVersion: 2 })).toMatchObject(
      keeps('packed', `version 1 of tier "${tierKey('free')}"`, 'key'),
    );
  });
});

describe('the storage of a default limit', () => {
  it('is that of the limits that tiers have instead of it', async () => {
    await publish('free', [PACKED]);
    expect(await setDefaults([KEY])).toMatchObject(
      keeps('packed', `version 1 of tier "${tierKey('free')}"`, 'key'),
    );
    expect(await setDefaults([PACKED])).toMatchObject({ ok: true });
  });

  it('cannot change after a tier has inherited it', async () => {
    await publish('free', [{ ...KEY, name: 'other' }]);
    await setDefaults([PACKED]);
    expect(await setDefaults([KEY])).toMatchObject({
      errors: [
        {
          field: ['limits', '0', 'storage'],
          message: expect.stringMatching(/ has storage packed in version /),
        },
      ],
    });
    expect(await setDefaults([{ ...PACKED, limit: 20 }])).toMatchObject({ ok: true });
  });
});

describe('the expected subjects of a packed limit', () => {
  it('can change while the number of hashes is the same', async () => {
    await publish('free', [PACKED]);
    for (const expectedSubjects of [256, 511])
      expect(await publish('free', [{ ...PACKED, expectedSubjects }])).toMatchObject({ ok: true });
  });

  it.each([255, 512])('cannot change to %i, in any tier', async (expectedSubjects) => {
    await publish('free', [PACKED]);
    const message = `Limit "per-user" of API "${apiKey}" is packed for 500 expected subjects in version 1 of tier "${tierKey('free')}", which cannot change to ${expectedSubjects}. Choose 256 to 511, or create a limit with another name.`;
    for (const name of ['free', 'pro'])
      expect(await publish(name, [{ ...PACKED, expectedSubjects }])).toMatchObject(
        refusal(['limits', '0', 'expectedSubjects'], message),
      );
  });
});

describe('concurrent publications of a new name', () => {
  /** Publishes in a transaction that stays open while `second` starts. @returns the outcome of `second` */
  async function race<T>(first: () => Promise<unknown>, second: () => Promise<T>): Promise<T> {
    const [published, waiting] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const open = services.context.get(ChangeRunner).run(CALLER, { reason: null }, async () => {
      expect(await first()).toMatchObject({ ok: true });
      published.resolve();
      await waiting.promise;
      return null;
    });
    await published.promise;
    const outcome = second();
    await eventually(async () => {
      const [row] = await database.client.$queryRaw<{ waiting: number }[]>`
        SELECT count(DISTINCT "pid")::int AS waiting FROM pg_locks WHERE NOT "granted" AND "pid" IN (
          SELECT l."pid" FROM pg_locks AS l JOIN pg_database AS d ON d."oid" = l."database"
          WHERE d."datname" = current_database())`;
      return row?.waiting === 1;
    });
    waiting.resolve();
    await open;
    return outcome;
  }

  it('in two tiers: the second one has the storage of the first', async () => {
    const outcome = await race(
      () => publish('free', [PACKED]),
      () => publish('pro', [KEY]),
    );
    expect(outcome).toMatchObject(keeps('packed', `version 1 of tier "${tierKey('free')}"`, 'key'));
  });

  it('as a default limit and in a new tier', async () => {
    const outcome = await race(
      () => setDefaults([PACKED]),
      async () => {
        await tiers.create(CALLER, { key: tierKey('new'), name: 'New' });
        return publish('new', [KEY]);
      },
    );
    expect(outcome).toMatchObject({
      errors: [
        { field: ['limits', '0', 'storage'], message: expect.stringMatching(/ has storage packed in /) },
      ],
    });
  });
});
