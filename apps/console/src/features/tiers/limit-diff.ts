import type { LimitPolicy } from '@tollgate/contracts';
import { ruleOf } from '../../lib/limit-fields.js';
import {
  ALGORITHM_NAMES,
  describeAttempts,
  describeCandidate,
  describeCharge,
  describeConsistency,
  describeDeadline,
  describeEnforcement,
  describeHeaders,
  describeMissing,
  describePer,
  describeThrottle,
} from '../../lib/limit-text.js';
import { formatAmount, formatDuration } from '../../lib/rate.js';
import {
  algorithmEffect,
  atOnceEffect,
  attemptsEffect,
  chargeEffect,
  combine,
  countedEffect,
  coverageEffect,
  type Effect,
  enforcementEffect,
  missingEffect,
  outageEffect,
  rateEffect,
  throttleEffect,
} from './limit-effects.js';

export interface FieldChange {
  label: string;
  before: string;
  after: string;
  effect: Effect;
}

export interface LimitChange {
  kind: 'added' | 'removed' | 'changed';
  api: string;
  name: string;
  effect: Effect;
  before: LimitPolicy | undefined;
  after: LimitPolicy | undefined;
  /** Empty for added and removed limits. */
  fields: FieldChange[];
}

/** What turns one set of limits into another. Limits are the same one when API and name agree. */
export function diffLimits(before: readonly LimitPolicy[], after: readonly LimitPolicy[]): LimitChange[] {
  const beforeByIdentity = new Map(before.map((limit) => [identityOf(limit), limit]));
  const afterIdentities = new Set(after.map(identityOf));
  const changes: LimitChange[] = [];
  for (const limit of after) {
    const old = beforeByIdentity.get(identityOf(limit));
    if (!old) changes.push(wholeChange('added', limit));
    else {
      const fields = diffFields(old, limit);
      if (fields.length > 0) {
        const effect = combine(fields.map((field) => field.effect));
        const { api, name } = limit;
        changes.push({ kind: 'changed', api, name, effect, before: old, after: limit, fields });
      }
    }
  }
  for (const limit of before) {
    if (!afterIdentities.has(identityOf(limit))) changes.push(wholeChange('removed', limit));
  }
  return changes;
}

/** `API/name`, the identity of a limit within a tier. */
export const identityOf = ({ api, name }: Pick<LimitPolicy, 'api' | 'name'>): string => `${api}/${name}`;

function wholeChange(kind: 'added' | 'removed', limit: LimitPolicy): LimitChange {
  const added = kind === 'added';
  return {
    kind,
    api: limit.api,
    name: limit.name,
    // One more limit can only refuse more, one less only fewer.
    effect: added ? 'tightened' : 'loosened',
    before: added ? undefined : limit,
    after: added ? limit : undefined,
    fields: [],
  };
}

/** Notes a field that differs; one that `describe` has nothing to say about is left alone. */
type Note = (
  label: string,
  describe: (limit: LimitPolicy) => string | undefined,
  effectOf: (before: LimitPolicy, after: LimitPolicy) => Effect,
) => void;

function diffFields(before: LimitPolicy, after: LimitPolicy): FieldChange[] {
  const fields: FieldChange[] = [];
  const note: Note = (label, describe, effectOf) => {
    const [from, to] = [describe(before), describe(after)];
    if (from === to || from === undefined || to === undefined) return;
    fields.push({ label, before: from, after: to, effect: effectOf(before, after) });
  };
  note('Limit', (limit) => formatAmount(ruleOf(limit)), rateEffect);
  note('Algorithm', (limit) => ALGORITHM_NAMES[limit.algorithm], algorithmEffect);
  noteParameters(note);
  note('Past the limit', describeThrottle, throttleEffect);
  note('Enforced', describeEnforcement, enforcementEffect);
  note('Counts', describeCharge, chargeEffect);
  note('Attempts expire after', describeAttempts, attemptsEffect);
  note('Operations', ({ operations }) => operations.join(', ') || 'all', coverageEffect);
  note('Counted per', ({ per }) => describePer(per).replace(/^per /, ''), countedEffect);
  note('Without a value', describeMissing, missingEffect);
  note('Consistency', describeConsistency, neutral);
  note('Without Redis', ({ onUnavailable }) => onUnavailable, outageEffect);
  note('Wait for Redis', describeDeadline, neutral);
  note('Response headers', describeHeaders, neutral);
  note('Tried beside it', describeCandidate, neutral);
  return fields;
}

/** The numbers of an algorithm, compared where both limits have them. */
function noteParameters(note: Note): void {
  note('Burst', (limit) => ('burst' in limit ? String(limit.burst) : undefined), atOnceEffect);
  note('Bucket', (limit) => ('capacity' in limit ? String(limit.capacity) : undefined), atOnceEffect);
  note('Queue', (limit) => ('queue' in limit ? String(limit.queue) : undefined), atOnceEffect);
  note('Refilled', (limit) => ('refill' in limit ? REFILLS[limit.refill] : undefined), neutral);
  note('Steps', (limit) => ('buckets' in limit ? String(limit.buckets) : undefined), neutral);
  note('Windows start', (limit) => ('alignment' in limit ? ALIGNMENTS[limit.alignment] : undefined), neutral);
  note('Slot held', (limit) => ('leaseMs' in limit ? formatDuration(limit.leaseMs) : undefined), neutral);
}

const REFILLS = { continuous: 'steadily', interval: 'at intervals' } as const;
const ALIGNMENTS = { clock: 'on the clock', first_request: 'at the first request' } as const;
const neutral = (): Effect => 'neutral';
