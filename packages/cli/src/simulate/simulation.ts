import { formatCount } from '@tollgate/contracts/limit-title';
import { formatMoney } from '@tollgate/contracts/money';
import { MAX_MISMATCH, type ReplayResult } from '@tollgate/replay';

/** Servers price units themselves. */
export type SimulationResult = Omit<ReplayResult, 'deniedUnits'>;

/** What newly denied units would have cost at most at the prices of top-ups. */
export interface DeniedCost {
  readonly currency: string;
  readonly amountMinor: number;
  readonly units: number;
}

export interface Simulation {
  /** With the requests of one tick of the clock together. */
  readonly result: SimulationResult;
  /** With the requests of a tick spread over it; null: the clock is fine. */
  readonly spread: SimulationResult | null;
  /** Limits, `api/name`, whose window is too long for the recording. */
  readonly notWarm: readonly string[];
  /** Of a server; by currency. */
  readonly costs?: readonly DeniedCost[];
}

/** Undefined: unbounded. */
export interface Bounds {
  /** Newly denied ÷ covered, 0 to 1. */
  readonly maxDenied: number | undefined;
  readonly maxNewTenants: number | undefined;
  /** Covered ÷ all, 0 to 1. */
  readonly minCoverage: number | undefined;
}

export interface SimulationVerdict {
  readonly kind: 'passed' | 'exceeded' | 'inconclusive';
  readonly reasons: readonly string[];
}

/** Checks both results: the worse one counts. */
export function verdictOf({ result, spread }: Simulation, bounds: Bounds): SimulationVerdict {
  const inconclusive: string[] = [];
  const { maxDenied, maxNewTenants, minCoverage } = bounds;
  if (result.covered === 0) inconclusive.push('no request can be compared');
  if (result.calibration?.isReliable === false) inconclusive.push(mismatchOf(result.calibration.share));
  const coverage = coverageOf(result);
  if (minCoverage !== undefined && coverage < minCoverage) {
    inconclusive.push(`${share(coverage)} of the requests can be replayed, less than ${share(minCoverage)}`);
  }
  if (inconclusive.length > 0) return { kind: 'inconclusive', reasons: inconclusive };
  const exceeded: string[] = [];
  const both = spread === null ? [result] : [result, spread];
  const denied = Math.max(...both.map(deniedShare));
  const tenants = Math.max(...both.map(({ newlyDeniedTenants }) => newlyDeniedTenants));
  if (maxDenied !== undefined && denied > maxDenied) {
    exceeded.push(`${share(denied)} of the requests are newly denied, more than ${share(maxDenied)}`);
  }
  if (maxNewTenants !== undefined && tenants > maxNewTenants) {
    exceeded.push(`tenants with newly denied requests: ${tenants}, more than ${maxNewTenants}`);
  }
  return exceeded.length > 0 ? { kind: 'exceeded', reasons: exceeded } : { kind: 'passed', reasons: [] };
}

/** Covered ÷ all, with those that were dropped; 0 without any. */
function coverageOf({ covered, decisions, dropped }: SimulationResult): number {
  return covered === 0 ? 0 : covered / (decisions + dropped);
}

function deniedShare({ newlyDenied, covered }: SimulationResult): number {
  return covered === 0 ? 0 : newlyDenied / covered;
}

function mismatchOf(mismatch: number): string {
  return `the live policy differs from the recorded outcomes in ${share(mismatch)} of the requests, more than ${share(MAX_MISMATCH)}`;
}

/** @param price of a unit; undefined: no estimate */
export function formatSimulation(
  simulation: Simulation,
  verdict: SimulationVerdict,
  price: number | undefined,
): string {
  const { result, spread, notWarm, costs = [] } = simulation;
  const lines: string[] = [];
  const isReliable = result.calibration?.isReliable !== false;
  if (isReliable) lines.push(headline(simulation));
  lines.push(`Compared with: ${BASELINES[result.baseline]} (${formatCount(result.baselineDenied)} denied)`);
  if (result.calibration !== null) {
    const { share: mismatch, compared } = result.calibration;
    lines.push(`Live policy reproduced ${share(1 - mismatch)} of ${formatCount(compared)} recorded outcomes`);
  }
  lines.push(
    `Newly allowed: ${formatCount(result.newlyAllowed)}; subjects with newly denied requests: ${formatCount(result.newlyDeniedSubjects)} of ${formatCount(result.subjects)}`,
  );
  lines.push(
    `Covered: ${formatCount(result.covered)} of ${formatCount(result.decisions + result.dropped)} (${share(coverageOf(result))}); warm-up: ${formatCount(result.warmUp)}`,
  );
  for (const { reason, decisions } of result.uncovered)
    lines.push(`  not covered, ${reason}: ${formatCount(decisions)}`);
  if (result.dropped + result.missingBlocks > 0) {
    lines.push(
      `  gaps: ${formatCount(result.dropped)} dropped requests, ${formatCount(result.missingBlocks)} missing blocks`,
    );
  }
  if (notWarm.length > 0)
    lines.push(`Window too long for the recording, denials too low: ${notWarm.join(', ')}`);
  const units = Math.max(result.newlyDeniedUnits, spread?.newlyDeniedUnits ?? 0);
  if (price !== undefined && isReliable) {
    lines.push(`Value of the newly denied units, at most: ${(units * price).toFixed(2)}`);
  }
  if (isReliable && price === undefined) {
    for (const { currency, amountMinor, units: priced } of costs) {
      const amount = formatMoney(amountMinor, currency);
      lines.push(
        `Value of ${formatCount(priced)} newly denied units at the prices of top-ups, at most: ${amount}`,
      );
    }
  }
  if (isReliable) lines.push(...limitLines(result), ...tenantLines(result));
  for (const reason of verdict.reasons)
    lines.push(`${verdict.kind === 'exceeded' ? 'Exceeded' : 'Inconclusive'}: ${reason}`);
  return lines.join('\n');
}

const BASELINES = { live: 'replayed live policy', recorded: 'recorded outcomes', none: 'no limits' } as const;

function headline({ result, spread }: Simulation): string {
  const [low, high] = [spread?.newlyDenied ?? result.newlyDenied, result.newlyDenied].sort(
    (a, b) => a - b,
  ) as [number, number];
  const denied = low === high ? formatCount(high) : `${formatCount(low)} to ${formatCount(high)}`;
  const shares = [low, high].map((value) => share(result.covered === 0 ? 0 : value / result.covered));
  const text = low === high ? shares[1] : shares.join(' to ');
  const tenants = `${formatCount(result.newlyDeniedTenants)} ${result.newlyDeniedTenants === 1 ? 'tenant' : 'tenants'} newly affected`;
  return `This draft would newly deny ${denied} of ${formatCount(result.covered)} requests (${text}); ${tenants}`;
}

function limitLines({ limits }: SimulationResult): string[] {
  return limits.map(
    ({ api, limit, baselineDenied, draftDenied }) =>
      `  ${api}/${limit}: ${formatCount(draftDenied)} denied, before ${formatCount(baselineDenied)}`,
  );
}

const MAX_TENANT_LINES = 10;

function tenantLines({ tenants }: SimulationResult): string[] {
  const affected = tenants.filter(({ newlyDenied }) => newlyDenied > 0).slice(0, MAX_TENANT_LINES);
  return affected.flatMap(({ tenant, newlyDenied, decisions, examples }) => [
    `  ${tenant}: ${formatCount(newlyDenied)} of ${formatCount(decisions)} newly denied`,
    ...examples.map(({ atMs, operation, subject, limit }) => {
      const values = Object.entries(subject).map(([name, value]) => `${name}=${value.replace(/^[=~]/, '')}`);
      return `    ${new Date(atMs).toISOString()} ${operation} ${values.join(' ')} by ${limit ?? 'a block'}`;
    }),
  ]);
}

function share(value: number): string {
  return `${(100 * value).toFixed(2)} %`;
}
