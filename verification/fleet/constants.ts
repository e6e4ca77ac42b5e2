import { readFileSync } from 'node:fs';

/** A call whose cost grows with its parts, µs. */
export interface LinearCost {
  readonly base: number;
  readonly each: number;
}

/** CPU time of Redis per call, µs; measured by `pnpm simulate:fleet -- --measure`. */
export interface OperationCosts {
  /** Head and confirmation. */
  readonly poll: number;
  /** Per tenant record. */
  readonly readTenants: LinearCost;
  /** CPU time of a node, not of Redis: checks and parses a sealed tenant record. */
  readonly openTenant: number;
  /** A catalogue of 100 kB. */
  readonly readCatalogue: number;
  /** Per subscriber. */
  readonly publish: LinearCost;
  readonly writeReport: number;
  /** Per node in the answer. */
  readonly readReports: LinearCost;
  /** Per row. */
  readonly writeFrame: LinearCost;
  /** Of a pool, per node that shares it. */
  readonly exchange: LinearCost;
  /** Of a lease. */
  readonly take: number;
  /** A batch, per decision. */
  readonly decide: LinearCost;
  /** Bytes between a node and Redis per decision, in batches of 16. */
  readonly decideBytes: number;
}

export const CONSTANTS_FILE = new URL('../../docs/benchmarks/constants.json', import.meta.url);

export function readOperationCosts(): OperationCosts {
  return (JSON.parse(readFileSync(CONSTANTS_FILE, 'utf8')) as { operations: OperationCosts }).operations;
}
