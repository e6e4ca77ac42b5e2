import { type Borrower, type Grant, grantsOf } from './borrowing.js';
import {
  type Correction,
  correctionAt,
  NO_CORRECTION,
  REPORT_COUNTS_MS,
  type ServiceReading,
  type ServiceReport,
  stepCorrection,
} from './capacity.js';
import { type OwnAllowance, type OwnTraffic, ownAllowance } from './own-traffic.js';
import { type ByPriority, type Pool, sumOf } from './pool.js';

/** What a node tells about a pool: how its last second looks, not what changed, so that one told twice is told once. */
export interface PoolReport extends OwnTraffic {
  readonly node: string;
  /** Each tenant once. */
  readonly borrowers: readonly Borrower[];
  /** What services told this node since it last asked. */
  readonly services: readonly ServiceReport[];
}

/** What a node may do until it asks again; all in units in any second. */
export interface PoolAnswer extends OwnAllowance {
  /** The pool's capacity as corrected by reports. */
  readonly capacity: number;
  /** In the order of the report's borrowers. */
  readonly grants: readonly Grant[];
}

/** A node's last report. */
export interface NodeEntry extends OwnTraffic {
  readonly node: string;
  /** Nodes are gone through by this, in every exchange alike. */
  readonly order: number;
  readonly atMs: number;
  readonly held: number;
  readonly borrowers: readonly Borrower[];
}

/** What is known of a pool. */
export interface PoolState {
  readonly nodes: readonly NodeEntry[];
  readonly services: ReadonlyMap<string, ServiceReading>;
  readonly correction: Correction;
}

/** A pool that nobody has used. */
export const EMPTY_POOL: PoolState = { nodes: [], services: new Map(), correction: NO_CORRECTION };

/** A report counts in full so long; an answer holds as long as the report that it answers. */
export const REPORT_FULL_MS = 500;

/** From {@link REPORT_FULL_MS} on a report fades; so old it is forgotten: what a crashed node held is free again. */
export const REPORT_ENDS_MS = 1500;

/**
 * Takes a node's report in and answers it. Pure; `scripts/pool-exchange.lua` is its twin.
 *
 * @param nowMs the time of the one place where nodes meet, ms since the Unix epoch
 */
export function exchangeReport(
  state: PoolState,
  pool: Pool,
  report: PoolReport,
  nowMs: number,
): { state: PoolState; answer: PoolAnswer } {
  const services = new Map<string, ServiceReading>();
  for (const [service, reading] of state.services) {
    if (ageOf(reading, nowMs) <= REPORT_COUNTS_MS) services.set(service, reading);
  }
  for (const { service, utilisationPermille } of report.services) {
    services.set(service, { atMs: nowMs, utilisationPermille });
  }
  const heard = report.services.length > 0;
  const correction = stepCorrection(state.correction, services.values(), heard, nowMs);
  const capacity = Math.max(1, Math.floor((pool.capacity * correctionAt(correction, nowMs)) / 1000));

  const known = state.nodes.filter((entry) => ageOf(entry, nowMs) < REPORT_ENDS_MS);
  const index = indexOrEnd(known, report.node);
  const order = known[index]?.order ?? (known.at(-1)?.order ?? 0) + 1;
  const { node, own, demand, borrowers } = report;
  const nodes = known.map((entry) => faded(entry, nowMs));
  nodes[index] = { node, order, atMs: nowMs, held: 0, own, demand, borrowers };

  const allowance = ownAllowance(nodes, index, capacity, nowMs);
  let ownUnits = 0;
  for (const entry of nodes) ownUnits += sumOf(entry.own);
  const spare = Math.max(0, Math.floor((capacity * pool.reclaimPercent) / 100) - ownUnits);
  const { grants, held } = grantsOf(nodes, index, spare, nowMs);
  known[index] = { node, order, atMs: nowMs, held, own, demand, borrowers };
  return { state: { nodes: known, services, correction }, answer: { capacity, ...allowance, grants } };
}

function indexOrEnd(nodes: readonly NodeEntry[], node: string): number {
  const index = nodes.findIndex((entry) => entry.node === node);
  return index === -1 ? nodes.length : index;
}

// A clock that was set back must not keep what is past for longer than one that runs.
function ageOf({ atMs }: { readonly atMs: number }, nowMs: number): number {
  return Math.abs(nowMs - atMs);
}

/** A report as it counts at `nowMs`. */
function faded(entry: NodeEntry, nowMs: number): NodeEntry {
  const ageMs = ageOf(entry, nowMs);
  if (ageMs <= REPORT_FULL_MS) return entry;
  const fade = (units: number) =>
    Math.floor((units * (REPORT_ENDS_MS - ageMs)) / (REPORT_ENDS_MS - REPORT_FULL_MS));
  const fadeEach = ([a, b, c]: ByPriority): ByPriority => [fade(a), fade(b), fade(c)];
  return {
    ...entry,
    held: fade(entry.held),
    own: fadeEach(entry.own),
    demand: fadeEach(entry.demand),
    borrowers: entry.borrowers.map((borrower) => ({
      ...borrower,
      borrowed: fade(borrower.borrowed),
      demand: fadeEach(borrower.demand),
    })),
  };
}
