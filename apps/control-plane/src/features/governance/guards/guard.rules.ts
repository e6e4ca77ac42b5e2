const MINUTE_MS = 60_000;

/** Frames of a minute arrive within this time of its end: nodes write them once a second. */
const SETTLE_MS = 10_000;

/** After the end of a guard, missing frames and nodes are awaited for this time. */
const GIVE_UP_MS = 5 * MINUTE_MS;

/** Above this percentage of decisions without Redis, denials do not show the effect of limits. */
const MAX_DEGRADED_PERCENT = 5;

/** Tenants in a notice. */
const WORST_TENANTS = 5;

export interface GuardTerms {
  /** Percentage points. */
  maxDenialRise: number;
  minDecisions: number;
}

/** Whole minutes since the nodes use the version, and as many before the publication. */
export interface GuardWindow {
  from: Date;
  to: Date;
  baselineFrom: Date;
  baselineTo: Date;
  /** Whether it reaches the end of the guard. */
  isComplete: boolean;
}

/** Decisions on the APIs of a guard; `denied` by limits only. `degraded` ones are in neither. */
export interface Counts {
  decisions: number;
  denied: number;
  degraded: number;
}

export interface TenantCounts {
  tenantKey: string;
  /** Kept on an earlier version by the rollout. */
  isPinned: boolean;
  before: Counts;
  after: Counts;
}

/** Everything that a guard decides on. */
export interface Evidence {
  /** Nodes that report, and those that use the version; null: it has not reached Redis. */
  nodes: { total: number; current: number } | null;
  /** Nodes that have stopped reporting since the publication. */
  silentNodes: number;
  /** When the oldest frame that is not counted was written; null: all are counted. */
  unreadSince: Date | null;
  /** Frames that are missing or unreadable since the publication. */
  missingFrames: number;
  window: GuardWindow | undefined;
  tenants: readonly TenantCounts[];
}

/** Why a guard has not decided. */
export type Obstacle =
  | 'NOT_PUBLISHED'
  | 'NODES_NOT_ACKNOWLEDGED'
  | 'NODES_SILENT'
  | 'USAGE_DELAYED'
  | 'USAGE_MISSING'
  | 'REDIS_UNAVAILABLE'
  | 'TOO_FEW_DECISIONS'
  | 'TOO_FEW_PINNED';

/** A group of tenants, each compared with its own baseline. */
export interface Comparison {
  tenants: number;
  /** Sum over tenants of the smaller of both numbers of decisions: the weight of a tenant. */
  decisions: number;
  /** Denied percent of the weighted decisions. */
  before: number;
  after: number;
  /** Percentage points. */
  rise: number;
}

export interface TenantRise {
  tenantKey: string;
  decisions: number;
  before: number;
  after: number;
}

export interface GuardFigures {
  from: string;
  to: string;
  baselineFrom: string;
  baselineTo: string;
  affected: Comparison;
  /** Tenants pinned by the rollout; null if none sent requests. */
  pinned: Comparison | null;
  /** Rise of the affected tenants beyond that of the pinned ones, percentage points. */
  excess: number;
  /** Tenants that contribute most to the rise, highest first. */
  worst: TenantRise[];
}

export type Verdict = { figures: GuardFigures | null } & (
  | { kind: 'exceeded' | 'within'; figures: GuardFigures }
  | { kind: 'undecided'; obstacle: Obstacle; message: string }
);

/**
 * The window that a guard can compare at `now`; undefined before the first whole minute.
 * @param activeFrom when all nodes used the version
 */
export function windowAt(
  { publishedAt, endsAt, activeFrom }: { publishedAt: Date; endsAt: Date; activeFrom: Date | null },
  now: Date,
): GuardWindow | undefined {
  if (activeFrom === null) return undefined;
  const fromMs = Math.ceil(activeFrom.getTime() / MINUTE_MS) * MINUTE_MS;
  const endMs = floorToMinute(endsAt.getTime());
  const toMs = Math.min(floorToMinute(now.getTime() - SETTLE_MS), endMs);
  if (toMs <= fromMs) return undefined;
  const baselineToMs = floorToMinute(publishedAt.getTime());
  return {
    from: new Date(fromMs),
    to: new Date(toMs),
    baselineFrom: new Date(baselineToMs - (toMs - fromMs)),
    baselineTo: new Date(baselineToMs),
    isComplete: toMs === endMs,
  };
}

const floorToMinute = (ms: number) => Math.floor(ms / MINUTE_MS) * MINUTE_MS;

/** Whether a guard that is undecided ends now: more data cannot arrive, or has not for some minutes. */
export function isOver(endsAt: Date, verdict: Verdict, now: Date): boolean {
  const sinceEndMs = now.getTime() - endsAt.getTime();
  if (sinceEndMs >= GIVE_UP_MS) return true;
  if (verdict.kind !== 'undecided') return false;
  return sinceEndMs >= SETTLE_MS + MINUTE_MS && !AWAITED.has(verdict.obstacle);
}

const AWAITED: ReadonlySet<Obstacle> = new Set<Obstacle>([
  'NOT_PUBLISHED',
  'NODES_NOT_ACKNOWLEDGED',
  'NODES_SILENT',
  'USAGE_DELAYED',
]);

/** Compares the denials after a publication with those before it. Undecided whenever data is missing. */
export function judge(terms: GuardTerms, evidence: Evidence): Verdict {
  const figures = evidence.window === undefined ? null : figuresOf(evidence.window, evidence.tenants);
  const undecided = obstacleOf(terms, evidence, figures);
  if (undecided !== undefined) return { kind: 'undecided', figures, ...undecided };
  if (figures === null) throw new Error('a guard without figures has an obstacle');
  return { kind: figures.excess > terms.maxDenialRise ? 'exceeded' : 'within', figures };
}

function obstacleOf(
  { minDecisions }: GuardTerms,
  { nodes, silentNodes, unreadSince, missingFrames, window, tenants }: Evidence,
  figures: GuardFigures | null,
): { obstacle: Obstacle; message: string } | undefined {
  if (nodes === null) {
    return { obstacle: 'NOT_PUBLISHED', message: 'The version has not been published to nodes yet.' };
  }
  if (nodes.total === 0 || nodes.current < nodes.total) {
    const message =
      nodes.total === 0 ? 'No node reports.' : `${nodes.current} of ${nodes.total} nodes use the version.`;
    return { obstacle: 'NODES_NOT_ACKNOWLEDGED', message };
  }
  if (silentNodes > 0) {
    const message = `Nodes that stopped reporting: ${silentNodes}. Their usage may be missing. Retire nodes that are gone.`;
    return { obstacle: 'NODES_SILENT', message };
  }
  if (missingFrames > 0) {
    return {
      obstacle: 'USAGE_MISSING',
      message: `Usage frames missing since the publication: ${missingFrames}.`,
    };
  }
  const tooFew = (count: number) => ({
    obstacle: 'TOO_FEW_DECISIONS' as const,
    message: `${count} comparable decisions; ${minDecisions} are required.`,
  });
  if (window === undefined || figures === null) return tooFew(0);
  if (unreadSince !== null && unreadSince.getTime() < window.to.getTime() + SETTLE_MS) {
    const message = `Usage since ${unreadSince.toISOString()} is not counted yet.`;
    return { obstacle: 'USAGE_DELAYED', message };
  }
  const degraded = degradedPercent(tenants);
  if (degraded > MAX_DEGRADED_PERCENT) {
    const message = `${round(degraded)} % of the decisions were made without Redis; at most ${MAX_DEGRADED_PERCENT} % are allowed.`;
    return { obstacle: 'REDIS_UNAVAILABLE', message };
  }
  if (figures.affected.decisions < minDecisions) {
    if (tenants.length === 0 || tenants.some(({ isPinned }) => !isPinned))
      return tooFew(figures.affected.decisions);
    const message =
      'All tenants that sent requests are pinned to an earlier version, so none can be compared.';
    return { obstacle: 'TOO_FEW_DECISIONS', message };
  }
  const pinned = figures.pinned?.decisions ?? minDecisions;
  if (pinned < minDecisions) {
    const message = `${pinned} comparable decisions of tenants pinned by the rollout; ${minDecisions} are required.`;
    return { obstacle: 'TOO_FEW_PINNED', message };
  }
  return undefined;
}

function figuresOf(window: GuardWindow, tenants: readonly TenantCounts[]): GuardFigures {
  const affected = tenants.filter(({ isPinned }) => !isPinned);
  const pinned = tenants.filter(({ isPinned }) => isPinned);
  const hasPinned = pinned.some(({ before, after }) => before.decisions + after.decisions > 0);
  const ofAffected = compare(affected);
  const ofPinned = hasPinned ? compare(pinned) : null;
  return {
    from: window.from.toISOString(),
    to: window.to.toISOString(),
    baselineFrom: window.baselineFrom.toISOString(),
    baselineTo: window.baselineTo.toISOString(),
    affected: ofAffected,
    pinned: ofPinned,
    // A fall of the pinned tenants is no reason to revert.
    excess: ofAffected.rise - Math.max(0, ofPinned?.rise ?? 0),
    worst: worstOf(affected),
  };
}

function compare(tenants: readonly TenantCounts[]): Comparison {
  const compared = tenants.filter((tenant) => weightOf(tenant) > 0);
  let [decisions, before, after] = [0, 0, 0];
  for (const tenant of compared) {
    const weight = weightOf(tenant);
    decisions += weight;
    before += weight * shareOf(tenant.before);
    after += weight * shareOf(tenant.after);
  }
  const percent = (sum: number) => (decisions === 0 ? 0 : (100 * sum) / decisions);
  return {
    tenants: compared.length,
    decisions,
    ...{ before: percent(before), after: percent(after), rise: percent(after - before) },
  };
}

/** Small numbers on either side say little, so they weigh little. */
const weightOf = ({ before, after }: TenantCounts) => Math.min(before.decisions, after.decisions);

const shareOf = ({ decisions, denied }: Counts) => (decisions === 0 ? 0 : denied / decisions);

function worstOf(tenants: readonly TenantCounts[]): TenantRise[] {
  const contribution = (tenant: TenantCounts) =>
    weightOf(tenant) * (shareOf(tenant.after) - shareOf(tenant.before));
  return tenants
    .filter((tenant) => contribution(tenant) > 0)
    .toSorted((a, b) => contribution(b) - contribution(a))
    .slice(0, WORST_TENANTS)
    .map(({ tenantKey, before, after }) => ({
      tenantKey,
      decisions: after.decisions,
      ...{ before: 100 * shareOf(before), after: 100 * shareOf(after) },
    }));
}

function degradedPercent(tenants: readonly TenantCounts[]): number {
  const percents = (['before', 'after'] as const).map((side) => {
    const sum = (name: 'decisions' | 'degraded') =>
      tenants.reduce((total, tenant) => total + tenant[side][name], 0);
    const all = sum('decisions') + sum('degraded');
    return all === 0 ? 0 : (100 * sum('degraded')) / all;
  });
  return Math.max(...percents);
}

/** A percentage or a number of percentage points for people. */
export const round = (percent: number): number => Math.round(percent * 100) / 100;
