import type { Catalogue, TenantRecord } from '@tollgate/contracts';
import type { ReplayPolicy, ReplayResult } from '@tollgate/decision-plane/internals';

/** The policy of a draft, as far as it differs from the present one. */
export interface SimulationDraft {
  readonly catalogueText: string;
  /** Records that differ. */
  readonly tenants: readonly TenantRecord[];
}

/** A stored result. */
export interface SimulationOutcome extends ReplayResult {
  /** Minutes per entry of `minutes`. */
  readonly stepMinutes: number;
  /** Limits, `api/name`, whose window is too long for the recording. */
  readonly notWarm: readonly string[];
}

/** The most entries of a series. */
const MAX_STEPS = 360;

/** Joins minutes to at most {@link MAX_STEPS} entries, which start at multiples of their length. */
export function withSteps(result: ReplayResult, notWarm: readonly string[]): SimulationOutcome {
  const { minutes } = result;
  const [first, last] = [minutes[0]?.atMs ?? 0, minutes.at(-1)?.atMs ?? 0];
  const stepMinutes = Math.max(1, Math.ceil(((last - first) / 60_000 + 1) / MAX_STEPS));
  const stepMs = stepMinutes * 60_000;
  const steps = Map.groupBy(minutes, ({ atMs }) => Math.floor(atMs / stepMs) * stepMs);
  const sum = (field: 'decisions' | 'baselineDenied' | 'draftDenied', of: typeof minutes) =>
    of.reduce((total, minute) => total + minute[field], 0);
  const joined = [...steps].map(([atMs, of]) => ({
    atMs,
    decisions: sum('decisions', of),
    baselineDenied: sum('baselineDenied', of),
    draftDenied: sum('draftDenied', of),
  }));
  return { ...result, minutes: joined, stepMinutes, notWarm };
}

/** Whether a limit of the policies counts all tenants together, so that they have to be replayed together. */
export function hasGlobalLimit(policies: readonly ReplayPolicy[]): boolean {
  return policies.some(({ catalogueText }) =>
    (JSON.parse(catalogueText) as Catalogue).tiers.some(({ versions }) =>
      versions.some(({ limits }) => limits.some(({ per }) => per[0] === 'global')),
    ),
  );
}

/** Splits tenants into groups that are replayed together, to need few reads of the database and little memory. */
export function groupsOf<T extends { decisions: number }>(tenants: readonly T[], most: number): T[][] {
  const groups: T[][] = [];
  let [group, decisions] = [[] as T[], 0];
  for (const tenant of tenants) {
    if (group.length > 0 && decisions + tenant.decisions > most) {
      groups.push(group);
      [group, decisions] = [[], 0];
    }
    group.push(tenant);
    decisions += tenant.decisions;
  }
  return group.length === 0 ? groups : [...groups, group];
}
