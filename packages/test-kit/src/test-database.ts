import { randomUUID } from 'node:crypto';
import { runStatement, withDatabase } from '@tollgate/database';
import { inject } from 'vitest';
import type { TestServices } from './test-services.js';

export interface TestDatabase {
  url: string;
  /** Ends all sessions on it and removes it. */
  drop(): Promise<void>;
}

/** An empty database of its own with all migrations applied: a copy of the run's template, about 50 ms. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const { postgresUrl, templateDatabase }: TestServices = inject('testServices');
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await runStatement(postgresUrl, `CREATE DATABASE ${name} TEMPLATE ${templateDatabase}`);
  return {
    url: withDatabase(postgresUrl, name),
    drop: async () => {
      await runStatement(postgresUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    },
  };
}
