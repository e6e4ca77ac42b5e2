import { fileURLToPath } from 'node:url';
import { deployDatabase } from '@tollgate/database';
import { applicationUrl } from '@tollgate/test-kit';

const MIGRATIONS = fileURLToPath(new URL('../../../../prisma/migrations', import.meta.url));

/**
 * Migrates the database of `ownerUrl` as setup does. Returns its address for the application, which signs scopes with
 * `scopeSecret`.
 */
export async function migrateForApplication(ownerUrl: string, scopeSecret: string): Promise<string> {
  const appUrl = applicationUrl(ownerUrl);
  await deployDatabase({ ownerUrl, appUrl, migrationsDir: MIGRATIONS, scopeSecrets: [scopeSecret] });
  return appUrl;
}
