import {
  CHAIN_START,
  CHAINED_COLUMNS,
  type ChainedEntry,
  findChainProblem,
} from '@tollgate/contracts/audit-chain';
import pg from 'pg';
import * as z from 'zod';

const BATCH_SIZE = 2000;

export const contentsSchema = z.object({
  /** Last applied migration. */
  migration: z.string(),
  /** Rows by table. */
  tables: z.record(z.string(), z.int()),
  /** The last entry of each audit chain, and why the chain is broken, if it is. */
  chains: z.record(
    z.string(),
    z.object({ sequence: z.int(), hash: z.string(), problem: z.string().optional() }),
  ),
});

/** Contents that a restored database must equal. */
export type DatabaseContents = z.output<typeof contentsSchema>;

/** Counts all rows and verifies the audit chains, as the session sees them. */
export async function readContents(session: pg.Client): Promise<DatabaseContents> {
  return {
    migration: await lastMigration(session),
    tables: await countRows(session),
    chains: await readChains(session),
  };
}

export function countAll(contents: DatabaseContents): { tables: number; rows: number; chains: number } {
  const counts = Object.values(contents.tables);
  return {
    tables: counts.length,
    rows: counts.reduce((sum, count) => sum + count, 0),
    chains: Object.keys(contents.chains).length,
  };
}

/** Differences of a restored database, one line each. */
export function findDifferences(expected: DatabaseContents, found: DatabaseContents): string[] {
  const differences: string[] = [];
  if (found.migration !== expected.migration)
    differences.push(`last migration: ${found.migration} instead of ${expected.migration}`);
  for (const table of keysOf(expected.tables, found.tables)) {
    const [before = 0, after = 0] = [expected.tables[table], found.tables[table]];
    if (before !== after) differences.push(`table ${table}: ${after} rows instead of ${before}`);
  }
  for (const chain of keysOf(expected.chains, found.chains)) {
    const [before, after] = [expected.chains[chain], found.chains[chain]];
    if (before?.hash !== after?.hash || before?.problem !== after?.problem)
      differences.push(
        `audit chain ${chain}: ends at ${after?.sequence ?? 0} (${after?.problem ?? 'intact'}) instead of ${before?.sequence ?? 0} (${before?.problem ?? 'intact'})`,
      );
  }
  return differences;
}

function keysOf(one: object, other: object): string[] {
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].sort();
}

async function lastMigration(session: pg.Client): Promise<string> {
  const found = await session.query(
    `SELECT migration_name AS name FROM _prisma_migrations WHERE finished_at IS NOT NULL ORDER BY migration_name DESC LIMIT 1`,
  );
  return found.rows[0]?.name ?? '';
}

async function countRows(session: pg.Client): Promise<Record<string, number>> {
  const found = await session.query(
    "SELECT tablename::text AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1",
  );
  const counts = found.rows.map(({ name }: { name: string }) => {
    const [label, table] = [pg.escapeLiteral(name), pg.escapeIdentifier(name)];
    return `SELECT ${label} AS name, count(*)::float8 AS count FROM public.${table}`;
  });
  const rows = (await session.query(counts.join(' UNION ALL '))).rows as { name: string; count: number }[];
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
}

async function readChains(session: pg.Client): Promise<DatabaseContents['chains']> {
  const chains: DatabaseContents['chains'] = {};
  let [chain, sequence] = ['', 0];
  for (;;) {
    const found = await session.query(
      `SELECT coalesce(json_agg(entry), '[]')::text AS entries FROM (
        SELECT ${CHAINED_COLUMNS} FROM audit_entry WHERE (chain, sequence) > ($1, $2::bigint)
        ORDER BY chain, sequence LIMIT ${BATCH_SIZE}) AS entry`,
      [chain, sequence],
    );
    const entries: ChainedEntry[] = JSON.parse(found.rows[0].entries);
    for (const entry of entries) {
      const before = chains[entry.chain];
      const problem = before?.problem ?? findChainProblem(before ?? CHAIN_START, entry);
      const { hash } = entry;
      chains[entry.chain] = { sequence: entry.sequence, hash, ...(problem === undefined ? {} : { problem }) };
    }
    const last = entries.at(-1);
    if (last === undefined || entries.length < BATCH_SIZE) return chains;
    ({ chain, sequence } = last);
  }
}
