// A temporary Postgres for tools. Needs a build of @tollgate/embedded.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

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
