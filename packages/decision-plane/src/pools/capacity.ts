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
