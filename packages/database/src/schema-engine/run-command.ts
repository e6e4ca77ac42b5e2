import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { connectForMigrations } from './migration-adapter.js';
import { runStatement, withDatabase } from './postgres-driver.js';
import { type DriverAdapter, type SchemaEngineModule, type WasmExports } from './wasm-types.js';

const require = createRequire(import.meta.url);
// TypeScript declares this global only for browsers.
const { WebAssembly } = globalThis as unknown as {
  WebAssembly: {
    instantiate(code: Uint8Array, imports: object): Promise<{ instance: { exports: WasmExports } }>;
  };
};
let loading: Promise<SchemaEngineModule> | undefined;

/** Prisma's schema engine as WASM, loaded once per process. */
function loadSchemaEngine(): Promise<SchemaEngineModule> {
  loading ??= instantiate();
  return loading;
}

async function instantiate(): Promise<SchemaEngineModule> {
  installPanicRegistry();
  const dir = path.dirname(require.resolve('@prisma/schema-engine-wasm'));
  const bindings = (await import(
    pathToFileURL(path.join(dir, 'schema_engine_bg.js')).href
  )) as SchemaEngineModule;
  const code = await readFile(path.join(dir, 'schema_engine_bg.wasm'));
  const { instance } = await WebAssembly.instantiate(code, {
    './schema_engine_bg.js': withoutLingeringTimers(bindings),
  });
  bindings.__wbg_set_wasm(instance.exports);
  instance.exports.__wbindgen_start?.();
  return bindings;
}

/** The engine never clears its 10 s timer for the lock, which would keep the process alive. */
function withoutLingeringTimers(bindings: object): object {
  const entries = Object.entries(bindings).map(([name, value]) =>
    name.startsWith('__wbg_setTimeout_')
      ? [name, (callback: () => void, ms: number) => setTimeout(callback, ms >>> 0).unref()]
      : [name, value],
  );
  return Object.fromEntries(entries) as object;
}

/** The engine writes the reason of a panic to this global and fails without it. */
function installPanicRegistry(): void {
  const holder = globalThis as {
    PRISMA_WASM_PANIC_REGISTRY?: { message: string; set_message(text: string): void };
  };
  holder.PRISMA_WASM_PANIC_REGISTRY ??= {
    message: '',
    set_message(text) {
      this.message = text;
      process.stderr.write(`schema engine panic: ${text}\n`);
    },
  };
}

const { bindMigrationAwareSqlAdapterFactory } = require('@prisma/driver-adapter-utils') as {
  bindMigrationAwareSqlAdapterFactory(factory: object): object;
};

/**
 * Runs one method of the schema engine (`applyMigrations`, `diff`, …). Uses a new engine per call, because the WASM
 * engine uses its shadow factory once and never drops the database.
 */
export async function runEngineCommand(url: string, method: string, params: unknown): Promise<unknown> {
  const { SchemaEngine } = await loadSchemaEngine();
  const factory = new ConnectionFactory(url);
  try {
    const adapter = bindMigrationAwareSqlAdapterFactory(factory);
    const engine = await SchemaEngine.new({}, () => undefined, adapter);
    const command = engine[method];
    if (command === undefined) throw new Error(`The schema engine has no method ${method}`);
    return await command.call(engine, params);
  } finally {
    await factory.close();
  }
}

class ConnectionFactory {
  readonly provider = 'postgres';
  readonly adapterName = '@prisma/adapter-pg';
  private readonly adapters: DriverAdapter[] = [];
  private readonly shadows: string[] = [];

  constructor(private readonly url: string) {}

  connect(): Promise<DriverAdapter> {
    return this.open(this.url);
  }

  /** adapter-pg's own version would connect to the real database. */
  async connectToShadowDb(): Promise<DriverAdapter> {
    const shadow = `prisma_migrate_shadow_db_${randomUUID()}`;
    await runStatement(this.url, `CREATE DATABASE "${shadow}"`, 'postgres');
    this.shadows.push(shadow);
    return this.open(withDatabase(this.url, shadow));
  }

  async close(): Promise<void> {
    for (const adapter of this.adapters) await adapter.dispose();
    for (const shadow of this.shadows) {
      await runStatement(this.url, `DROP DATABASE IF EXISTS "${shadow}" WITH (FORCE)`, 'postgres');
    }
  }

  private async open(url: string): Promise<DriverAdapter> {
    const adapter = await connectForMigrations(url);
    this.adapters.push(adapter);
    return adapter;
  }
}
