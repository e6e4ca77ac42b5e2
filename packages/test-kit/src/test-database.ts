import { randomUUID } from 'node:crypto';
import { runStatement, withDatabase, withLogin } from '@tollgate/database';
import { inject } from 'vitest';

export interface TestServices {
  postgresUrl: string;
  /** Connections to it would prevent copying. */
  templateDatabase: string;
  /** PgBouncer in front of it. */
  poolerUrl: string | undefined;
}

declare module 'vitest' {
  interface ProvidedContext {
    testServices: TestServices;
  }
}

export const TEST_SCOPE_SECRET = 'Kd7Wm2Xr9Tb4Nc6Hj1Qz5Lp8Vs3Gf0Yt';

export interface TestDatabase {
  /** Login of the application, subject to row-level security. */
  url: string;
  /** Superuser that owns the tables. */
  ownerUrl: string;
  drop(): Promise<void>;
}

export function applicationUrl(ownerUrl: string): string {
  return withLogin(ownerUrl, 'tollgate_test_application', 'used by tests only');
}

/** An empty database with all migrations applied, a copy of the run's template (50 ms). */
export async function createTestDatabase(): Promise<TestDatabase> {
  const { postgresUrl, templateDatabase, poolerUrl = postgresUrl }: TestServices = inject('testServices');
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await runStatement(postgresUrl, `CREATE DATABASE ${name} TEMPLATE ${templateDatabase}`);
  // Privileges are not copied.
  await runStatement(postgresUrl, `REVOKE TEMPORARY ON DATABASE ${name} FROM PUBLIC`);
  const ownerUrl = withDatabase(postgresUrl, name);
  return {
    url: applicationUrl(withDatabase(poolerUrl, name)),
    ownerUrl,
    drop: async () => {
      await runStatement(postgresUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    },
  };
}
