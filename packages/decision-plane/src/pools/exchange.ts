import type { PoolWarmUp } from '@tollgate/contracts';
import { type ByPriority, type Pool, sumOf } from '@tollgate/policy';
import {
  type Borrower,
  type Grant,
  grantsOf,
  type OwnAllowance,
  type OwnTraffic,
  ownAllowance,
} from './allowances.js';

export interface Correction {
  /** Effective part of the configured capacity, thousandths; see {@link correctionAt}. */
  readonly permille: number;
  /** Time of the last adjustment, ms. */
  readonly steppedAtMs: number;
  /** Time of the last report, ms. */
  readonly reportedAtMs: number;
}

export interface ServiceReading {
  readonly atMs: number;
  /** Thousandths of the service's capacity. */
  readonly utilizationPermille: number;
}

export interface ServiceReport {
  readonly service: string;
  readonly utilizationPermille: number;
}

export const NO_CORRECTION: Correction = { permille: 1000, steppedAtMs: 0, reportedAtMs: 0 };

/** Minimum factor, thousandths. */
export const FLOOR_PERMILLE = 100;

/** Minimum time between adjustments, ms: a report must reflect the last one. */
export const STEP_MS = 1000;

/** Lifetime of a report; when the last one expires, the factor begins to return to 1000. */
export const REPORT_COUNTS_MS = 5000;

/** When the last report is this old, the configured capacity applies. */
export const REPORTS_FORGOTTEN_MS = 9000;

/** Additive increase per adjustment, thousandths of the configured capacity. */
const INCREASE_PERMILLE = 50;

/** The factor at `nowMs`: constant while reports arrive, then linearly back to 1000. */
export function correctionAt({ permille, reportedAtMs }: Correction, nowMs: number): number {
  const ageMs = Math.abs(nowMs - reportedAtMs);
  if (ageMs <= REPORT_COUNTS_MS) return permille;
  if (ageMs >= REPORTS_FORGOTTEN_MS) return 1000;
  const wayMs = REPORTS_FORGOTTEN_MS - REPORT_COUNTS_MS;
  return permille + Math.floor(((1000 - permille) * (ageMs - REPORT_COUNTS_MS)) / wayMs);
}

/**
 * Part of the configured capacity in the warm-up, thousandths: grows linearly from the start percentage to 1000. Absolute
 * age: a clock that is set back moves the ramp by at most the same time, and ends it if that exceeds its length.
 */
export function warmUpAt(
  warmUp: PoolWarmUp | undefined,
  startedAtMs: number | undefined,
  nowMs: number,
): number {
  if (warmUp === undefined || startedAtMs === undefined) return 1000;
  const ageMs = Math.abs(nowMs - startedAtMs);
  const start = warmUp.startPercent * 10;
  return ageMs >= warmUp.ms ? 1000 : start + Math.floor(((1000 - start) * ageMs) / warmUp.ms);
}

/**
 * The busiest service decides: above 100 % the factor is cut to a sufficient value, by at least a tenth and at most half;
 * below 90 % it grows by 5 % of the configured capacity. At most one adjustment a second, and only after a new report.
 *
 * @param warmPermille see {@link warmUpAt}; a cut starts from the capacity in effect
 */
export function stepCorrection(
  correction: Correction,
  readings: Iterable<ServiceReading>,
  hasNewReport: boolean,
  nowMs: number,
  warmPermille = 1000,
): Correction {
  if (!hasNewReport) return correction;
  const permille = correctionAt(correction, nowMs);
  if (Math.abs(nowMs - correction.steppedAtMs) < STEP_MS) {
    return { permille, steppedAtMs: correction.steppedAtMs, reportedAtMs: nowMs };
  }
  let worst = 0;
  for (const { utilizationPermille } of readings) worst = Math.max(worst, utilizationPermille);
  return { permille: nextPermille(permille, warmPermille, worst), steppedAtMs: nowMs, reportedAtMs: nowMs };
}

function nextPermille(permille: number, warmPermille: number, worst: number): number {
  if (worst > 1000) {
    const cut = Math.max(500, Math.min(900, Math.floor(1_000_000 / worst)));
    return Math.max(FLOOR_PERMILLE, Math.floor((Math.min(permille, warmPermille) * cut) / 1000));
  }
  return worst < 900 ? Math.min(1000, permille + INCREASE_PERMILLE) : permille;
}

/** A node's report to a pool. It describes the last second, not changes, so that repeating it is harmless. */
export interface PoolReport extends OwnTraffic {
  readonly node: string;
  /** Each tenant once. */
  readonly borrowers: readonly Borrower[];
  /** Reports of services since the node's last exchange. */
  readonly services: readonly ServiceReport[];
  /** Time since a cold start that was reported since the node's last exchange, ms. */
  readonly coldStartAgeMs?: number | undefined;
}

/** A node's allowance until its next exchange, in units per any second. */
export interface PoolAnswer extends OwnAllowance {
  /** The pool's capacity as corrected by reports and lowered by the warm-up. */
  readonly capacity: number;
  /** In the order of the report's borrowers. */
  readonly grants: readonly Grant[];
}

export interface NodeEntry extends OwnTraffic {
  readonly node: string;
  /** Order in which nodes are processed. */
  readonly order: number;
  readonly atMs: number;
  readonly held: number;
  readonly borrowers: readonly Borrower[];
}

export interface PoolState {
  readonly nodes: readonly NodeEntry[];
  readonly services: ReadonlyMap<string, ServiceReading>;
  readonly correction: Correction;
  /** Last cold start, ms; undefined when the warm-up is over. */
  readonly startedAtMs?: number | undefined;
}

export const EMPTY_POOL: PoolState = { nodes: [], services: new Map(), correction: NO_CORRECTION };

/** A report counts fully for this long; an answer is valid for the same time. */
export const REPORT_FULL_MS = 500;

/** From {@link REPORT_FULL_MS} on a report fades; at this age it expires, which frees the units of crashed nodes. */
export const REPORT_ENDS_MS = 1500;

/** Adds a node's report to the state and answers it. Pure; mirrored by `scripts/pool-exchange-1.lua`. */
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
  for (const { service, utilizationPermille } of report.services) {
    services.set(service, { atMs: nowMs, utilizationPermille });
  }
  const hasNewReport = report.services.length > 0;
  const startedAtMs = lastStart(state, pool, report, nowMs);
  const warmPermille = warmUpAt(pool.warmUp, startedAtMs, nowMs);
  const correction = stepCorrection(state.correction, services.values(), hasNewReport, nowMs, warmPermille);
  const permille = Math.min(correctionAt(correction, nowMs), warmPermille);
  const capacity = Math.max(1, Math.floor((pool.capacity * permille) / 1000));

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
  return {
    state: { nodes: known, services, correction, startedAtMs },
    answer: { capacity, ...allowance, grants },
  };
}

// The last start. A node that could not exchange may report an older one than the stored one.
function lastStart(
  { startedAtMs }: PoolState,
  { warmUp }: Pool,
  { coldStartAgeMs }: PoolReport,
  nowMs: number,
): number | undefined {
  const warmUpMs = warmUp?.ms ?? 0;
  const storedAgeMs = startedAtMs === undefined ? warmUpMs : Math.abs(nowMs - startedAtMs);
  const reportedAgeMs = coldStartAgeMs ?? warmUpMs;
  if (Math.min(storedAgeMs, reportedAgeMs) >= warmUpMs) return undefined;
  return reportedAgeMs <= storedAgeMs ? nowMs - reportedAgeMs : startedAtMs;
}

function indexOrEnd(nodes: readonly NodeEntry[], node: string): number {
  const index = nodes.findIndex((entry) => entry.node === node);
  return index === -1 ? nodes.length : index;
}

// Absolute: a clock that is set back must not extend the life of reports.
function ageOf({ atMs }: { readonly atMs: number }, nowMs: number): number {
  return Math.abs(nowMs - atMs);
}

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
