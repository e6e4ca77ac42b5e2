// Prisma does not export types for these internals.

export interface QueryIo {
  fields?: { dataTypeID: number }[];
  rows: object;
}

export interface RawResult {
  rows: object;
  columnTypes: number[];
}

export interface Queryable {
  performIO(query: unknown): Promise<QueryIo>;
  queryRaw(query: unknown): Promise<RawResult>;
  startTransaction?(isolationLevel: unknown): Promise<Queryable>;
}

export interface DriverAdapter extends Queryable {
  executeScript(script: string): Promise<void>;
  /** Converts a driver error and throws it. */
  onError(error: unknown): never;
  dispose(): Promise<void>;
}

export interface MigrationDirectory {
  path: string;
  migrationFile: {
    path: string;
    content: { tag: 'ok'; value: string } | { tag: 'error'; value: string };
  };
}

export interface MigrationsList {
  baseDir: string;
  lockfile: { path: string; content: string | null };
  shadowDbInitScript: string;
  migrationDirectories: MigrationDirectory[];
}

/** Methods of Prisma's JSON-RPC protocol. */
type SchemaEngine = Record<string, (params: unknown) => Promise<unknown>>;

export type WasmExports = Record<string, () => void>;

export interface SchemaEngineModule {
  __wbg_set_wasm(exports: WasmExports): void;
  SchemaEngine: {
    new: (options: unknown, log: (message: string) => void, adapter: unknown) => Promise<SchemaEngine>;
  };
}
