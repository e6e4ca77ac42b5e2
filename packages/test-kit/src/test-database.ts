import { randomUUID } from 'node:crypto';
import { runStatement, withDatabase, withLogin } from '@tollgate/database';
import { inject } from 'vitest';

/** What a run's shared services tell every test; read it through the functions of this package. */
export interface TestServices {
  postgresUrl: string;
  /** Has all migrations and no rows; nobody may connect to it, or copying it fails. */
  templateDatabase: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    testServices: TestServices;
  }
}

/** The secret that signs the scope of a transaction in tests. */
export const TEST_SCOPE_SECRET = 'Kd7Wm2Xr9Tb4Nc6Hj1Qz5Lp8Vs3Gf0Yt';

export interface TestDatabase {
  /** Of the application's login, which is held to row-level security. */
  url: string;
  /** Of the superuser that owns the tables: tests read all rows, and write rows that no application would. */
  ownerUrl: string;
  /** Ends all sessions on it and removes it. */
  drop(): Promise<void>;
}

/** The same database as the application's login. */
export function applicationUrl(ownerUrl: string): string {
  return withLogin(ownerUrl, 'tollgate_test_application', 'used by tests only');
}

/** An empty database of its own with all migrations applied: a copy of the run's template, about 50 ms. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const { postgresUrl, templateDatabase }: TestServices = inject('testServices');
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await runStatement(postgresUrl, `CREATE DATABASE ${name} TEMPLATE ${templateDatabase}`);
  // A copy has the template's contents, not its privileges.
  await runStatement(postgresUrl, `REVOKE TEMPORARY ON DATABASE ${name} FROM PUBLIC`);
  const ownerUrl = withDatabase(postgresUrl, name);
  return {
    url: applicationUrl(ownerUrl),
    ownerUrl,
    drop: async () => {
      await runStatement(postgresUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    },
  };
}
