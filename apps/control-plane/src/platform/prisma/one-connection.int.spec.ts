import { createPrismaClient, type PrismaClient } from '@tollgate/database';
import { createTestDatabase, type TestDatabase } from '@tollgate/test-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let testDatabase: TestDatabase;
let client: PrismaClient;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  client = createPrismaClient(testDatabase.ownerUrl, { max: 1 });
});
afterAll(async () => {
  await client.$disconnect();
  await testDatabase.drop();
});

describe('concurrent statements on one connection', () => {
  it('run one after the other without a driver warning', async () => {
    const warnings: Error[] = [];
    const note = (warning: Error) => warnings.push(warning);
    process.on('warning', note);
    const numbers = [1, 2, 3, 4, 5];
    const answers = await client.$transaction((tx) =>
      Promise.all(numbers.map((n) => tx.$queryRaw`SELECT ${n}::int AS n`)),
    );
    expect(answers).toEqual(numbers.map((n) => [{ n }]));
    await new Promise(setImmediate);
    process.off('warning', note);
    expect(warnings).toEqual([]);
  });

  it('do not wait for one that fails', async () => {
    const outcomes = await Promise.allSettled([
      client.$transaction([client.$queryRaw`SELECT 1`, client.$queryRaw`SELECT 1 / 0`]),
      client.$queryRaw`SELECT 2 AS n`,
    ]);
    expect(outcomes).toMatchObject([{ status: 'rejected' }, { status: 'fulfilled', value: [{ n: 2 }] }]);
  });
});
