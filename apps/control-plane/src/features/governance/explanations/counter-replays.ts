import { setImmediate as turn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { LimitPolicy } from '@tollgate/contracts';
import { knownTimeZone, periodAt } from '@tollgate/limiter/algorithms';
import { type CompiledLimit, compileLimit } from '@tollgate/limiter/rules';
import { CounterReplay as Replay, unpackBlock } from '@tollgate/replay';
import { currentScope } from '../../../platform/tenant-scope.js';
import { type TenantRow, TenantsRepository } from '../../customers/index.js';
import { type Decision, recordedValue, TrafficBlocksRepository } from '../../usage/index.js';
import type { CounterReplay, CounterReplayProblem } from './explanations.graphql.js';
import { isReplayable, lastCheck } from './explanations.rules.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Decisions of the tenant that are read: about a quarter of a second. */
const MAX_DECISIONS = 500_000;

const STEPS = 120;

export type ReplayedCounter =
  | { replay: CounterReplay; replayProblem: null }
  | { replay: null; replayProblem: CounterReplayProblem };

const without = (replayProblem: CounterReplayProblem): ReplayedCounter => ({ replay: null, replayProblem });

/** Times of a replay, Unix ms. */
interface ReplayRange {
  /** Recorded decisions are read from here. */
  readMs: number;
  /** Start of the steps. */
  fromMs: number;
  /** The counter's only window began before `readMs`. */
  isPart: boolean;
}

/** Replays the counter of a decision from the recorded traffic of the tenants that share it. */
@Injectable()
export class CounterReplays {
  constructor(
    private readonly blocks: TrafficBlocksRepository,
    private readonly tenants: TenantsRepository,
  ) {}

  /** @param tenant whose counter it is @param limit the limit that decided, as it was in effect for the caller */
  async find(tenant: TenantRow, decision: Decision, limit: LimitPolicy): Promise<ReplayedCounter> {
    const atMs = decision.at.getTime();
    const isShared = limit.sharedWithChildren === true;
    // Members see neither the children of their tenant nor its siblings.
    if (isShared && currentScope() !== 'all') return without('NOT_COVERED');
    const last = lastCheck(decision);
    const compiled = compileLimit(limit, {}, contextOf(tenant, atMs));
    if (last === undefined || !compiled.ok || !isReplayable(limit, last.limit)) return without('NOT_COVERED');
    const { policy } = compiled.limit;
    const children = isShared ? await this.tenants.listChildIds(tenant.key) : [];
    const tenantIds = [tenant.id, ...children];
    const { stored, decisions, range } = await this.chooseRange(tenant, tenantIds, atMs, compiled.limit);
    if (!stored) return without('NOT_RECORDED');
    if (decisions > MAX_DECISIONS) return without('TOO_MUCH');
    const counter = new Replay({ limit, values: valuesOf(decision, limit) });
    const times = { fromUs: range.readMs * 1000, toUs: (atMs + 1) * 1000, tenantIds };
    for await (const { packed } of this.blocks.recordings(times)) {
      counter.add(unpackBlock(packed));
      // The process also serves other requests.
      await turn();
    }
    const startMs = range.isPart ? range.readMs : undefined;
    const result = counter.result(policy, { atMs, remaining: last.remaining }, range.fromMs, STEPS, startMs);
    if (result === undefined) return without('NOT_RECORDED');
    const { steps, fromMs, toMs, isReliable, ...counts } = result;
    return {
      replay: {
        ...counts,
        from: new Date(fromMs),
        to: new Date(toMs),
        limit: policy.capacity,
        reliable: isReliable,
        steps: steps.map(({ atMs, ...step }) => ({ at: new Date(atMs), ...step })),
      },
      replayProblem: null,
    };
  }

  /** One window before the decision, or a minute if the tenants had too many decisions for that. */
  private async chooseRange(tenant: TenantRow, tenantIds: string[], atMs: number, limit: CompiledLimit) {
    const shownMs = Math.min(HOUR_MS, Math.max(MINUTE_MS, limit.policy.horizonMs));
    const sizeOf = async (ms: number) => {
      const range = rangeOf(limit, tenant, atMs, ms);
      const times = { fromUs: range.readMs * 1000, toUs: (atMs + 1) * 1000 };
      const { decisions, toUs } = await this.blocks.extent({ ...times, tenantIds });
      return { range, decisions, stored: toUs !== null && toUs >= atMs * 1000 };
    };
    const whole = await sizeOf(shownMs);
    return whole.decisions <= MAX_DECISIONS ? whole : sizeOf(MINUTE_MS);
  }
}

function contextOf({ timeZone, billingAnchorDay }: TenantRow, nowMs: number) {
  return { timeZone: knownTimeZone(timeZone), billingAnchorDay, nowMs };
}

/** A window that began before the steps has no other past; otherwise, the decisions of the time before are read too. */
function rangeOf(
  { stored, policy }: CompiledLimit,
  tenant: TenantRow,
  atMs: number,
  shownMs: number,
): ReplayRange {
  const fromMs = atMs - shownMs;
  const { timeZone, billingAnchorDay } = contextOf(tenant, atMs);
  if (stored.algorithm === 'quota') {
    const { startMs } = periodAt(stored.period, timeZone, billingAnchorDay, atMs);
    if (startMs > fromMs) return { readMs: startMs, fromMs: startMs, isPart: false };
    return { readMs: fromMs, fromMs, isPart: true };
  }
  const isOnClock = stored.algorithm === 'fixed_window' && stored.alignment === 'clock';
  if (isOnClock && atMs - (atMs % stored.windowMs) < fromMs) return { readMs: fromMs, fromMs, isPart: true };
  return { readMs: fromMs - policy.horizonMs, fromMs, isPart: false };
}

/** By dimension of the limit, as recorded. */
function valuesOf({ subject }: Decision, { per }: LimitPolicy): Record<string, string> {
  const own = subject.filter(({ dimension }) => per.includes(dimension));
  return Object.fromEntries(own.map(({ dimension, pseudonym }) => [dimension, recordedValue(pseudonym)]));
}
