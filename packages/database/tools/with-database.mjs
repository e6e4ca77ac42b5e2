// A throw-away Postgres for tools that need a server to work on. Needs a build of @tollgate/embedded.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/**
 * @template T
 * @param {(url: string) => T | Promise<T>} work gets the address of a database that does not exist yet
 * @returns {Promise<T>}
 */
export async function withDatabase(work) {
  const { startPostgres } = await import('@tollgate/embedded');
  const home = mkdtempSync(path.join(tmpdir(), 'tollgate-tools-'));
  const postgres = await startPostgres({ dataDir: path.join(home, 'postgres'), durable: false });
  try {
    return await work(postgres.databaseUrl('tollgate'));
  } finally {
    await postgres.stop();
    rmSync(home, { recursive: true, force: true });
  }
}
