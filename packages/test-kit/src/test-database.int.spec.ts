import { runStatement } from '@tollgate/database';
import { expect, test } from 'vitest';
import { createTestDatabase } from './test-database.js';

test('creates databases with all migrations and separate rows', async () => {
  const [one, two] = await Promise.all([createTestDatabase(), createTestDatabase()]);
  await runStatement(one.ownerUrl, 'CREATE TABLE only_here (id int)');
  const tables =
    "SELECT count(*)::int AS n FROM pg_tables WHERE tablename IN ('only_here', '_prisma_migrations')";
  expect((await runStatement(one.ownerUrl, tables)).rows).toEqual([{ n: 2 }]);
  expect((await runStatement(two.ownerUrl, tables)).rows).toEqual([{ n: 1 }]);
  await Promise.all([one.drop(), two.drop()]);
  await expect(runStatement(one.ownerUrl, 'SELECT 1')).rejects.toMatchObject({ code: '3D000' });
});
