import { getOrAdd } from '@tollgate/contracts/maps';
import type { EffectiveLimit } from '@tollgate/policy';
import type { TrafficBlock } from '../traffic/block.js';
import type { OperationAt, ReplayOperation, ReplaySubject, Uncovered } from './operations.js';
import {
  type DenialExample,
  type DeniedUnits,
  type LimitOutcome,
  MAX_MISMATCH,
  type MinuteOutcome,
  type ReplayResult,
  type TenantOutcome,
} from './result.js';
import type { ReplaySide } from './side.js';

const MINUTE_MS = 60_000;
const MINUTE_US = 60_000_000;
const MAX_EXAMPLES = 3;

/** Decision that is compared with the draft's. */
export interface Baseline {
  allowed: boolean;
  /** Null: allowed, or blocked. */
  limit: string | null;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type TenantCounts = Mutable<TenantOutcome> & { readonly examples: DenialExample[] };
type MinuteCounts = Mutable<MinuteOutcome>;

const byFirstDenial = (a: TenantCounts, b: TenantCounts): number =>
  (a.examples[0]?.atMs ?? 0) - (b.examples[0]?.atMs ?? 0);

const NOTHING = { decisions: 0, baselineDenied: 0, draftDenied: 0 };

interface Source {
  first: number;
  last: number;
  blocks: number;
}

/** Counts the decisions of a replay. */
export class ReplayTally {
  warmUp = 0;
  private compared = 0;
  private mismatches = 0;
  private otherLimits = 0;
  private fromMs: number | null = null;
  private toMs: number | null = null;
  private dropped = 0;
  private resolutionUs = 1;
  private newlyDeniedUnits = 0;
  private newlyDeniedSubjects = 0;
  private subjects = 0;
  /** By subject: 0 not seen, 1 seen, 2 newly denied. */
  private readonly seen: number[] = [];
  private readonly uncovered = new Map<Uncovered, number>();
  private readonly limits = new Map<string, Mutable<LimitOutcome>>();
  /** The same by operation, then name: joined texts take longer than a decision. */
  private readonly limitsOf: Map<string, Mutable<LimitOutcome>>[] = [];
  private readonly deniedUnits = new Map<string, Mutable<DeniedUnits>>();
  /** Operations of tenants with compared decisions. */
  private readonly operations: { operation: ReplayOperation; at: OperationAt }[] = [];
  private readonly tenants: (TenantCounts | undefined)[] = [];
  private readonly newlyDenied: TenantCounts[] = [];
  private readonly minutes = new Map<number, MinuteCounts>();
  private minute: MinuteCounts | undefined;
  private readonly sources = new Map<string, Source>();

  open({ node, epoch, sequence, dropped, resolutionUs }: TrafficBlock): void {
    this.dropped += dropped;
    this.resolutionUs = Math.max(this.resolutionUs, resolutionUs);
    const source = getOrAdd(this.sources, `${node}/${epoch}`, () => ({
      first: sequence,
      last: sequence,
      blocks: 0,
    }));
    source.first = Math.min(source.first, sequence);
    source.last = Math.max(source.last, sequence);
    source.blocks++;
  }

  /** @param isEqual whether the live policy decided as the node did @param isSameLimit whether the same limit was binding */
  calibrate(isEqual: boolean, isSameLimit: boolean): void {
    this.compared++;
    if (!isEqual) this.mismatches++;
    else if (!isSameLimit) this.otherLimits++;
  }

  /** Counts a decision that is not compared. */
  skip(reason: Uncovered, nowUs: number): void {
    this.moveTo(nowUs);
    this.uncovered.set(reason, (this.uncovered.get(reason) ?? 0) + 1);
  }

  compare(
    baseline: Baseline,
    draft: ReplaySide,
    subject: ReplaySubject,
    operation: ReplayOperation,
    nowUs: number,
  ): void {
    this.moveTo(nowUs);
    const tenant = this.tenantOf(subject);
    const minute = this.minuteOf(nowUs);
    tenant.decisions++;
    minute.decisions++;
    this.see(subject, 1);
    const { at } = draft;
    if (at !== undefined && at.compared++ === 0) this.operations.push({ operation, at });
    if (!baseline.allowed) {
      tenant.baselineDenied++;
      minute.baselineDenied++;
      if (baseline.limit !== null) this.limitOf(operation, baseline.limit).baselineDenied++;
      if (draft.allowed) tenant.newlyAllowed++;
    }
    if (draft.allowed) return;
    tenant.draftDenied++;
    minute.draftDenied++;
    if (draft.limit !== null) this.limitOf(operation, draft.limit.stored.name).draftDenied++;
    if (baseline.allowed) this.noteNewlyDenied(tenant, draft, subject, operation, nowUs);
  }

  /** @param maxTenants in the result @param hasLive whether a live policy was replayed */
  result(maxTenants: number, hasLive: boolean, hasOutcomes: boolean): ReplayResult {
    const tenants = this.tenants.filter((tenant) => tenant !== undefined);
    const sum = (field: 'decisions' | 'baselineDenied' | 'draftDenied' | 'newlyDenied' | 'newlyAllowed') =>
      tenants.reduce((total, tenant) => total + tenant[field], 0);
    const uncovered = [...this.uncovered].map(([reason, decisions]) => ({ reason, decisions }));
    const covered = sum('decisions');
    const unaffected = tenants.filter(({ newlyDenied }) => newlyDenied === 0);
    const missing = [...this.sources.values()].map(({ first, last, blocks }) =>
      Math.max(0, last - first + 1 - blocks),
    );
    this.countByLimit();
    const share = this.compared === 0 ? 0 : this.mismatches / this.compared;
    return {
      fromMs: this.fromMs,
      toMs: this.toMs,
      resolutionUs: this.resolutionUs,
      decisions: covered + uncovered.reduce((total, { decisions }) => total + decisions, 0),
      warmUp: this.warmUp,
      dropped: this.dropped,
      missingBlocks: missing.reduce((total, count) => total + count, 0),
      uncovered: uncovered.sort((a, b) => b.decisions - a.decisions),
      covered,
      calibration:
        this.compared === 0
          ? null
          : {
              compared: this.compared,
              mismatches: this.mismatches,
              otherLimits: this.otherLimits,
              share,
              isReliable: share <= MAX_MISMATCH,
            },
      baseline: hasLive ? 'live' : hasOutcomes ? 'recorded' : 'none',
      baselineDenied: sum('baselineDenied'),
      draftDenied: sum('draftDenied'),
      newlyDenied: sum('newlyDenied'),
      newlyDeniedUnits: this.newlyDeniedUnits,
      deniedUnits: [...this.deniedUnits.values()],
      newlyAllowed: sum('newlyAllowed'),
      subjects: this.subjects,
      newlyDeniedSubjects: this.newlyDeniedSubjects,
      limits: [...this.limits.values()].sort((a, b) => b.draftDenied - a.draftDenied),
      newlyDeniedTenants: this.newlyDenied.length,
      tenants: [...this.newlyDenied.sort(byFirstDenial), ...unaffected].slice(0, maxTenants),
      minutes: [...this.minutes.values()].sort((a, b) => a.atMs - b.atMs),
    };
  }

  /** Of the limits that deny. */
  private countByLimit(): void {
    for (const { operation, at } of this.operations.splice(0)) {
      for (const { limit } of at.limits) {
        // An amount of a label has the name of its limit.
        if (!limit.isLive) continue;
        const outcome = this.limits.get(`${operation.api}/${limit.stored.name}`);
        if (outcome !== undefined) outcome.decisions += at.compared;
      }
      at.compared = 0;
    }
  }

  private noteNewlyDenied(
    tenant: TenantCounts,
    { limit, waitUs, cost }: ReplaySide,
    subject: ReplaySubject,
    operation: ReplayOperation,
    nowUs: number,
  ): void {
    const { api, name } = operation;
    if (tenant.newlyDenied++ === 0) this.newlyDenied.push(tenant);
    this.newlyDeniedUnits += cost;
    if (limit !== null) {
      const outcome = this.limitOf(operation, limit.stored.name);
      outcome.newlyDenied++;
      outcome.newlyDeniedUnits += cost;
      this.unitsOf(limit).units += cost;
    }
    this.see(subject, 2);
    if (tenant.examples.length === MAX_EXAMPLES) return;
    tenant.examples.push({
      atMs: Math.floor(nowUs / 1000),
      api,
      operation: name,
      subject: Object.fromEntries(subject.values),
      cost,
      limit: limit?.stored.name ?? null,
      retryAfter: waitUs < 0 ? null : Math.ceil(waitUs / 1_000_000),
    });
  }

  private unitsOf({ stored: { api, name }, kind }: EffectiveLimit): Mutable<DeniedUnits> {
    return getOrAdd(this.deniedUnits, `${api}/${name}`, () => ({
      ...{ api, limit: name, isQuota: kind === 'quota', units: 0 },
    }));
  }

  private see({ index }: ReplaySubject, state: 1 | 2): void {
    const before = this.seen[index] ?? 0;
    if (before >= state) return;
    this.seen[index] = state;
    if (before === 0) this.subjects++;
    if (state === 2) this.newlyDeniedSubjects++;
  }

  private moveTo(nowUs: number): void {
    const nowMs = Math.floor(nowUs / 1000);
    if (this.fromMs === null || nowMs < this.fromMs) this.fromMs = nowMs;
    if (this.toMs === null || nowMs > this.toMs) this.toMs = nowMs;
  }

  private tenantOf({ tenant, tenantIndex }: ReplaySubject): TenantCounts {
    let counts = this.tenants[tenantIndex];
    if (counts === undefined) {
      counts = { tenant, ...NOTHING, newlyDenied: 0, newlyAllowed: 0, examples: [] };
      this.tenants[tenantIndex] = counts;
    }
    return counts;
  }

  private minuteOf(nowUs: number): MinuteCounts {
    const atMs = Math.floor(nowUs / MINUTE_US) * MINUTE_MS;
    if (this.minute?.atMs !== atMs) this.minute = getOrAdd(this.minutes, atMs, () => ({ atMs, ...NOTHING }));
    return this.minute;
  }

  private limitOf({ api, index }: ReplayOperation, limit: string): Mutable<LimitOutcome> {
    const known = this.limitsOf[index]?.get(limit);
    if (known !== undefined) return known;
    const outcome = getOrAdd(this.limits, `${api}/${limit}`, () => ({
      ...{ api, limit, ...NOTHING },
      ...{ newlyDenied: 0, newlyDeniedUnits: 0 },
    }));
    this.limitsOf[index] = (this.limitsOf[index] ?? new Map()).set(limit, outcome);
    return outcome;
  }
}
