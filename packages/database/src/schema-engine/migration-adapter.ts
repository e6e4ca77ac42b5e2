import { createRequire } from 'node:module';
import { pg, splitPostgresUrl } from './postgres-driver.js';
import type { DriverAdapter, Queryable, RawResult } from './wasm-types.js';

const require = createRequire(import.meta.url);
const { PrismaPg } = require('@prisma/adapter-pg') as {
  PrismaPg: new (pool: unknown, options: { schema: string }) => { connect(): Promise<DriverAdapter> };
};
const { ColumnTypeEnum } = require('@prisma/driver-adapter-utils') as {
  ColumnTypeEnum: { Character: number };
};

const OID_CHAR = 18;
const OID_TEXT = 25;

/**
 * adapter-pg for migrations. Uses one session, because the engine holds its advisory lock; knows the type `"char"`
 * (oid 18), which the engine reads; sends scripts whole, because splitting at `;` breaks function bodies and
 * atomicity.
 */
export async function connectForMigrations(address: string): Promise<DriverAdapter> {
  const { url, schema } = splitPostgresUrl(address);
  const pool = new pg.Pool({
    connectionString: url.toString(),
    max: 1,
    idleTimeoutMillis: 0,
    options: '-c timezone=UTC',
  });
  const adapter = await new PrismaPg(pool, { schema }).connect();
  teachCharType(adapter);
  adapter.executeScript = async (script) => {
    try {
      await pool.query(script);
    } catch (error) {
      adapter.onError(error);
    }
  };
  let open = true;
  adapter.dispose = async () => {
    if (!open) return;
    open = false;
    await pool.end();
  };
  return adapter;
}

function teachCharType(queryable: Queryable): void {
  const charColumns = new WeakMap<object, number[]>();
  const performIO = queryable.performIO.bind(queryable);
  const queryRaw = queryable.queryRaw.bind(queryable);
  queryable.performIO = async (query) => {
    const result = await performIO(query);
    const found = (result.fields ?? []).flatMap((field, i) => (field.dataTypeID === OID_CHAR ? [i] : []));
    for (const field of result.fields ?? []) if (field.dataTypeID === OID_CHAR) field.dataTypeID = OID_TEXT;
    if (found.length > 0) charColumns.set(result.rows, found);
    return result;
  };
  queryable.queryRaw = async (query): Promise<RawResult> => {
    const result = await queryRaw(query);
    for (const i of charColumns.get(result.rows) ?? []) result.columnTypes[i] = ColumnTypeEnum.Character;
    return result;
  };
  const startTransaction = queryable.startTransaction?.bind(queryable);
  if (startTransaction === undefined) return;
  queryable.startTransaction = async (level) => {
    const transaction = await startTransaction(level);
    teachCharType(transaction);
    return transaction;
  };
}
