import {
  type Borrower,
  type Grant,
  grantsOf,
  type OwnAllowance,
  type OwnTraffic,
  ownAllowance,
} from './allowances.js';
import { type ByPriority, type Pool, sumOf } from './pool.js';

/** What services said about a pool lately, folded into one factor. */
export interface Correction {
  /** Part of the set capacity that is in force, thousandths; see {@link correctionAt}. */
  readonly permille: number;
  /** When the factor was last reconsidered, ms. */
  readonly steppedAtMs: number;
  /** When a service last reported, ms. */
  readonly reportedAtMs: number;
}

/** The last word of one service. */
export interface ServiceReading {
  readonly atMs: number;
  /** Thousandths of what the service can do. */
  readonly utilisationPermille: number;
}

/** What one service says in an exchange. */
export interface ServiceReport {
  readonly service: string;
  readonly utilisationPermille: number;
}

/** As set: nobody reported. */
export const NO_CORRECTION: Correction = { permille: 1000, steppedAtMs: 0, reportedAtMs: 0 };

/** The factor never falls below this, thousandths. */
export const FLOOR_PERMILLE = 100;

/** One reconsideration in so many ms: a service must have felt the last one before it is heard again. */
export const STEP_MS = 1000;

/** A report counts so long; the factor begins its way back when the last one is so old. */
export const REPORT_COUNTS_MS = 5000;

/** When the last report is so old, the pool is as set. */
export const REPORTS_FORGOTTEN_MS = 9000;

/** Additive increase in a step, thousandths of the set value. */
const INCREASE_PERMILLE = 50;

/** The factor at `nowMs`: the stored one while reports come; when they stop, on a straight line back to 1000. */
export function correctionAt({ permille, reportedAtMs }: Correction, nowMs: number): number {
  const ageMs = Math.abs(nowMs - reportedAtMs);
  if (ageMs <= REPORT_COUNTS_MS) return permille;
  if (ageMs >= REPORTS_FORGOTTEN_MS) return 1000;
  const wayMs = REPORTS_FORGOTTEN_MS - REPORT_COUNTS_MS;
  return permille + Math.floor(((1000 - permille) * (ageMs - REPORT_COUNTS_MS)) / wayMs);
}

/**
 * The factor after services were heard: the busiest decides. Past 100 % it is cut to what would have been enough, by a
 * tenth at least and by half at most; below 90 % it grows by 5 % of the set value; at most one step a second, and only
 * on news, so that one report is never obeyed twice.
 *
 * @param readings the last word of each service, with `heard` among them
 * @param heard whether one of them came just now
 */
export function stepCorrection(
  correction: Correction,
  readings: Iterable<ServiceReading>,
  heard: boolean,
  nowMs: number,
): Correction {
  if (!heard) return correction;
  const permille = correctionAt(correction, nowMs);
  if (Math.abs(nowMs - correction.steppedAtMs) < STEP_MS) {
    return { permille, steppedAtMs: correction.steppedAtMs, reportedAtMs: nowMs };
  }
  let worst = 0;
  for (const { utilisationPermille } of readings) worst = Math.max(worst, utilisationPermille);
  return { permille: nextPermille(permille, worst), steppedAtMs: nowMs, reportedAtMs: nowMs };
}

function nextPermille(permille: number, worst: number): number {
  if (worst > 1000) {
    const cut = Math.max(500, Math.min(900, Math.floor(1_000_000 / worst)));
    return Math.max(FLOOR_PERMILLE, Math.floor((permille * cut) / 1000));
  }
  return worst < 900 ? Math.min(1000, permille + INCREASE_PERMILLE) : permille;
}

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
