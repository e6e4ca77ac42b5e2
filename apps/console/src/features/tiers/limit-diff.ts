import type { LimitSpec } from '../../lib/limit-spec.js';
import { formatRate } from '../../lib/rate.js';

/** Whether callers may do more after a change, less, more in one way and less in another, or just the same. */
export type Effect = 'loosened' | 'tightened' | 'mixed' | 'neutral';

export interface FieldChange {
  label: string;
  before: string;
  after: string;
  effect: Effect;
}

export interface LimitChange {
  kind: 'added' | 'removed' | 'changed';
  apiKey: string;
  name: string;
  effect: Effect;
  before: LimitSpec | undefined;
  after: LimitSpec | undefined;
  /** Empty for added and removed limits. */
  fields: FieldChange[];
}

/** What turns one set of limits into another. Limits are the same one when API and name agree. */
export function diffLimits(before: readonly LimitSpec[], after: readonly LimitSpec[]): LimitChange[] {
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
        changes.push({
          kind: 'changed',
          apiKey: limit.apiKey,
          name: limit.name,
          effect,
          before: old,
          after: limit,
          fields,
        });
      }
    }
  }
  for (const limit of before) {
    if (!afterIdentities.has(identityOf(limit))) changes.push(wholeChange('removed', limit));
  }
  return changes;
}

/** One word for several effects: loosened and tightened together are mixed. */
export function combine(effects: readonly Effect[]): Effect {
  const seen = new Set(effects);
  if (seen.has('mixed') || (seen.has('loosened') && seen.has('tightened'))) return 'mixed';
  if (seen.has('loosened')) return 'loosened';
  return seen.has('tightened') ? 'tightened' : 'neutral';
}

/** `API/name`, the identity of a limit within a tier. */
export const identityOf = (limit: Pick<LimitSpec, 'apiKey' | 'name'>): string =>
  `${limit.apiKey}/${limit.name}`;

function wholeChange(kind: 'added' | 'removed', limit: LimitSpec): LimitChange {
  const added = kind === 'added';
  return {
    kind,
    apiKey: limit.apiKey,
    name: limit.name,
    // One more limit can only refuse more, one less only fewer.
    effect: added ? 'tightened' : 'loosened',
    before: added ? undefined : limit,
    after: added ? limit : undefined,
    fields: [],
  };
}

function diffFields(before: LimitSpec, after: LimitSpec): FieldChange[] {
  const fields: FieldChange[] = [];
  const note = (label: string, from: string, to: string, effect: Effect) => {
    if (from !== to) fields.push({ label, before: from, after: to, effect });
  };
  note('Rate', formatRate(before), formatRate(after), rateEffect(before, after));
  note('Algorithm', describeAlgorithm(before), describeAlgorithm(after), atOnceEffect(before, after));
  if (before.algorithm === 'GCRA' && after.algorithm === 'GCRA') {
    note('Burst', String(before.burst ?? 0), String(after.burst ?? 0), atOnceEffect(before, after));
  }
  if (before.algorithm === 'FIXED_WINDOW' && after.algorithm === 'FIXED_WINDOW') {
    note('Windows start', describeAlignment(before), describeAlignment(after), 'neutral');
  }
  note(
    'Operations',
    listOr(before.operations, 'all'),
    listOr(after.operations, 'all'),
    coverageEffect(before, after),
  );
  note(
    'Counted per',
    listOr(before.per, 'tenant'),
    listOr(after.per, 'tenant'),
    countedEffect(before, after),
  );
  note(
    'Without Redis',
    before.onUnavailable.toLowerCase(),
    after.onUnavailable.toLowerCase(),
    outageEffect(before, after),
  );
  return fields;
}

/** Compares what is allowed in the long run; where that is equal, what is allowed at once. */
function rateEffect(before: LimitSpec, after: LimitSpec): Effect {
  const old = BigInt(before.limit) * BigInt(after.windowMs);
  const now = BigInt(after.limit) * BigInt(before.windowMs);
  const sustained: Effect = now > old ? 'loosened' : now < old ? 'tightened' : 'neutral';
  return combine([sustained, atOnceEffect(before, after)]);
}

function atOnceEffect(before: LimitSpec, after: LimitSpec): Effect {
  return order(atOnce(before), atOnce(after));
}

/** How many calls may arrive at the same instant. */
function atOnce(limit: LimitSpec): number {
  return limit.algorithm === 'GCRA' ? 1 + (limit.burst ?? 0) : limit.limit;
}

/** A limit on fewer operations leaves the others free; no list at all means every operation. */
function coverageEffect(before: LimitSpec, after: LimitSpec): Effect {
  const all = (limit: LimitSpec) => limit.operations.length === 0;
  const gained =
    !all(before) && (all(after) || after.operations.some((name) => !before.operations.includes(name)));
  const lost =
    !all(after) && (all(before) || before.operations.some((name) => !after.operations.includes(name)));
  if (gained && lost) return 'mixed';
  return gained ? 'tightened' : lost ? 'loosened' : 'neutral';
}

/** Each dimension more divides the callers into more counters, each with the whole limit. */
function countedEffect(before: LimitSpec, after: LimitSpec): Effect {
  const gained = after.per.some((name) => !before.per.includes(name));
  const lost = before.per.some((name) => !after.per.includes(name));
  if (gained && lost) return 'mixed';
  return gained ? 'loosened' : lost ? 'tightened' : 'neutral';
}

const GENEROSITY = { DENY: 0, SHARE: 1, ALLOW: 2 } as const;

function outageEffect(before: LimitSpec, after: LimitSpec): Effect {
  return order(GENEROSITY[before.onUnavailable], GENEROSITY[after.onUnavailable]);
}

function order(before: number, after: number): Effect {
  if (after === before) return 'neutral';
  return after > before ? 'loosened' : 'tightened';
}

const describeAlgorithm = (limit: LimitSpec): string =>
  limit.algorithm === 'GCRA' ? 'GCRA' : 'fixed window';
const describeAlignment = (limit: LimitSpec): string =>
  limit.alignment === 'FIRST_REQUEST' ? 'at the first request' : 'on the clock';
const listOr = (names: readonly string[], none: string): string =>
  names.length === 0 ? none : names.join(', ');
