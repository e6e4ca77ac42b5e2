import { expect, test } from 'vitest';
import { findBreakingStatements } from './lint-migrations.mjs';

test.each([
  ['DROP TABLE "tier"', 'drops an object'],
  ['ALTER TABLE a ADD COLUMN x int, DROP COLUMN b', 'drops a column'],
  ['ALTER TABLE a ALTER COLUMN b TYPE text', 'changes the type of a column'],
  ['ALTER TABLE a ALTER b SET NOT NULL', 'sets a column to NOT NULL'],
  ['ALTER TABLE a ALTER b DROP DEFAULT', 'drops a default'],
  ['ALTER TABLE a ADD b int NOT NULL', 'adds a NOT NULL column without a default'],
  ['ALTER TABLE a RENAME TO b', 'renames an object'],
  ['ALTER TABLE a RENAME COLUMN b TO c', 'renames an object'],
  ["ALTER TYPE t RENAME VALUE 'A' TO 'B'", 'renames a value of an enum'],
])('rejects %s', async (sql, problem) => {
  expect(await findBreakingStatements(`SELECT 'é';\n-- why\n${sql};`)).toEqual([`${problem}: ${sql}`]);
  expect(await findBreakingStatements(`-- contract: 0.3.0\n${sql};`)).toEqual([]);
});

test.each([
  "CREATE TABLE a (b int NOT NULL, c text DEFAULT 'DROP TABLE a')",
  'ALTER TABLE a ADD b int, ADD c int NOT NULL DEFAULT 0, ALTER d DROP NOT NULL, ALTER e SET DEFAULT 1',
  'DROP INDEX a; DROP POLICY p ON a; ALTER TABLE a DROP CONSTRAINT c',
  "ALTER TYPE t ADD VALUE 'C'",
  'CREATE OR REPLACE FUNCTION f() RETURNS int LANGUAGE sql AS $$ SELECT 1 $$',
])('accepts %s', async (sql) => {
  expect(await findBreakingStatements(`${sql};`)).toEqual([]);
});
