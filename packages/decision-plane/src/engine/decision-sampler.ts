import type { DecisionSample, LimitAnswer, LimitRequest, Outcome } from '@tollgate/contracts';
import { dimensionValue } from '../store/keys.js';
import { Reservoir } from './reservoir.js';

/** Decisions a second that are kept of those that were allowed, and of those that were refused. */
export interface SampleSizes {
  allowed: number;
  refused: number;
}

const DEFAULT_SIZES: SampleSizes = { allowed: 50, refused: 100 };

/**
 * Keeps some decisions as they were made, for explaining and replaying. Refusals apart, so that they are all kept where there
 * are not many.
 */
export class DecisionSampler {
  private readonly allowed: Reservoir<DecisionSample>;
  private readonly refused: Reservoir<DecisionSample>;

  constructor(sizes: Partial<SampleSizes> = {}) {
    this.allowed = new Reservoir(sizes.allowed ?? DEFAULT_SIZES.allowed);
    this.refused = new Reservoir(sizes.refused ?? DEFAULT_SIZES.refused);
  }

  note(request: LimitRequest, answer: LimitAnswer, outcome: Outcome, nowUs: number): void {
    const reservoir = answer.success ? this.allowed : this.refused;
    if (reservoir.wants()) reservoir.put(sampleOf(request, answer, outcome, nowUs));
  }

  /** What was kept since it was last asked. */
  take(): DecisionSample[] {
    return [...this.allowed.take(), ...this.refused.take()];
  }
}

function sampleOf(
  { tenant, api, operation, subject }: LimitRequest,
  answer: LimitAnswer,
  outcome: Outcome,
  nowUs: number,
): DecisionSample {
  const { requestId, cost, reason, policy, policies, retryAfter, delayMs, revision } = answer;
  return {
    requestId,
    atMs: Math.floor(nowUs / 1000),
    tenant,
    api,
    operation,
    ...(subject === undefined ? {} : { subject: valuesOf(subject) }),
    cost,
    outcome,
    reason,
    limit: policy,
    policies: policies.map(({ name, limit, remaining, reset, mode, success }) => ({
      name,
      limit,
      remaining,
      reset,
      mode,
      success,
    })),
    retryAfter,
    delayMs,
    revision,
  };
}

function valuesOf(subject: Readonly<Record<string, string>>): Record<string, string> {
  const values: Record<string, string> = {};
  for (const [dimension, value] of Object.entries(subject)) {
    const written = dimensionValue(dimension, value);
    if (written !== undefined) values[dimension] = written;
  }
  return values;
}
