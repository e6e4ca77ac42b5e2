import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { SchemaEngineModule, WasmExports } from './wasm-types.js';

const require = createRequire(import.meta.url);
// TypeScript declares this global with the browser's library only.
const { WebAssembly } = globalThis as unknown as {
  WebAssembly: {
    instantiate(code: Uint8Array, imports: object): Promise<{ instance: { exports: WasmExports } }>;
  };
};
let loading: Promise<SchemaEngineModule> | undefined;

/** Loads Prisma's schema engine from npm's WASM build, once per process. No native engine, no download. */
export function loadSchemaEngine(): Promise<SchemaEngineModule> {
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

/**
 * The engine never clears the 10 s timer with which it limits the wait for its lock: a program that has migrated and is
 * done would go on for 10 s. Its timers must not keep the process alive.
 */
function withoutLingeringTimers(bindings: object): object {
  const entries = Object.entries(bindings).map(([name, value]) =>
    name.startsWith('__wbg_setTimeout_')
      ? [name, (callback: () => void, ms: number) => setTimeout(callback, ms >>> 0).unref()]
      : [name, value],
  );
  return Object.fromEntries(entries) as object;
}

/** The engine writes the reason of a panic to this global and fails in an unclear way where it is missing. */
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
