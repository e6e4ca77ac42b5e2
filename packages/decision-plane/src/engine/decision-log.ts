import type { LimitAnswer, LimitRequest, Outcome, TenantRecord } from '@tollgate/contracts';
import type { Check, CheckResult } from '../store/decision-store.js';
import type { DecisionSampler } from './decision-sampler.js';
import type { HeavyHitters } from './heavy-hitters.js';
import type { LimitCrossings } from './limit-crossings.js';
import type { QuotaCheckpoints } from './quota-checkpoints.js';
import type { QuotaRestores } from './quota-restores.js';
import type { Applied } from './resolve.js';
import type { UsageAggregator } from './usage-aggregator.js';

export interface DecisionLogParts {
  usage: Pick<UsageAggregator, 'tally' | 'addCrossings'>;
  crossings: LimitCrossings;
  offenders: HeavyHitters;
  /** Undefined: no decision is kept as it was made. */
  sampler: Pick<DecisionSampler, 'note'> | undefined;
  checkpoints: Pick<QuotaCheckpoints, 'note'> | undefined;
  restores: Pick<QuotaRestores, 'charged'> | undefined;
}

/** What is told of decisions: usage, a sample, crossed thresholds, top offenders, quota checkpoints. */
export class DecisionLog {
  constructor(private readonly parts: DecisionLogParts) {}

  /** Counts a decision. */
  count(request: LimitRequest, answer: LimitAnswer, nowUs: number): void {
    const outcome = outcomeOf(answer);
    this.parts.usage
      .tally(request.tenant, request.api, request.operation, answer.policy)
      .record(outcome, answer.cost, nowUs);
    this.parts.sampler?.note(request, answer, outcome, nowUs);
  }

  /** Notes what the store decided: not for a look, nor for what was charged before. */
  note(
    tenant: TenantRecord,
    applied: readonly Applied[],
    results: readonly CheckResult[],
    success: boolean,
    nowUs: number,
  ): void {
    for (let i = 0; i < applied.length; i++) {
      const one = applied[i] as Applied;
      const result = results[i] as CheckResult;
      if (!success) {
        if (!result.allowed && one.mode === 'enforce') this.noteRefusal(tenant.tenant, one);
      } else if (result.allowed && one.mode === 'enforce') {
        this.noteCharge(tenant, one, result, nowUs);
      }
    }
  }

  private noteRefusal(tenant: string, { limit: { stored }, check }: Applied): void {
    this.parts.offenders.record(tenant, stored.api, stored.name, check.key, check.cost);
  }

  private noteCharge(
    tenant: TenantRecord,
    { limit, check }: Applied,
    result: CheckResult,
    nowUs: number,
  ): void {
    const crossed = this.parts.crossings.crossedBy(tenant, limit.stored, check, result, nowUs);
    if (crossed.length > 0) this.parts.usage.addCrossings(crossed);
    if (limit.kind !== 'quota') return;
    // A lease reports the units that were left when it was taken.
    const mayLag = limit.stored.consistency?.mode === 'leased';
    this.noteQuota(tenant.tenant, check, result, nowUs, mayLag);
  }

  private noteQuota(tenant: string, check: Check, result: CheckResult, nowUs: number, mayLag: boolean): void {
    const { checkpoints, restores } = this.parts;
    if (checkpoints === undefined || restores === undefined) return;
    // Units of an attempt in flight may return without a report: only failed units are used for good.
    const used = check.policy.capacity - result.remaining - (result.attempts ?? 0);
    const periodEndMs = Math.round((nowUs + result.resetAfterUs) / 1000);
    void restores.charged(tenant, check, periodEndMs, used, nowUs, mayLag);
    checkpoints.note(tenant, check, periodEndMs, used, nowUs);
  }
}

function outcomeOf({ success, degraded, reason }: LimitAnswer): Outcome {
  if (degraded) return success ? 'degraded_allowed' : 'degraded_refused';
  switch (reason) {
    case 'NO_LIMIT':
    case 'EXEMPT':
      return 'no_limit';
    case 'POOL_EXHAUSTED':
      return 'pool_refused';
    case 'SHADOW':
      return 'shadow_refused';
    case 'SOFT_LIMIT':
    case 'ELASTIC':
      return 'over_limit';
    default:
      return success ? 'allowed' : 'refused';
  }
}
