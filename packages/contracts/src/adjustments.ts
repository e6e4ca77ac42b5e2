import * as z from 'zod';
import { ADJUSTMENT_SOURCES, type AdjustmentSource, type LimitSource } from './answers.js';
import type { LabelAmounts } from './limit-amounts.js';
import type { LimitPolicy, Rule } from './limit-policy.js';
import { isBlocking } from './limit-scope.js';
import { apiKeySchema, limitNameSchema } from './names.js';
import { representable } from './representable.js';

/** Current, recent and upcoming adjustments of a tenant. */
export const MAX_ADJUSTMENTS = 64;

const number = (what: string, least: number) =>
  z.int(`${what} must be a whole number`).min(least, `${what} must be ${least} or more`);

/** `multiply`: percent, 200 doubles. `set`: replaces, 0 blocks; omitted numbers keep their proportion. */
export const adjustmentEffectSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('add'),
    units: number('units', 1),
  }),
  z.strictObject({
    kind: z.literal('multiply'),
    percent: number('percent', 1).max(1_000_000, 'percent must be at most 1,000,000'),
  }),
  z.strictObject({
    kind: z.literal('set'),
    limit: number('limit', 0),
    burst: number('burst', 0).optional(),
    capacity: number('capacity', 1).optional(),
    queue: number('queue', 0).optional(),
  }),
]);

export const adjustmentSchema = z
  .strictObject({
    id: z.string().min(1).max(64),
    source: z.enum(ADJUSTMENT_SOURCES),
    /** Absent: every API. */
    api: apiKeySchema.optional(),
    /** Absent: every limit of the API. */
    limit: limitNameSchema.optional(),
    /** `quota`: limits per calendar period; `rate`: all others. Default: both. */
    appliesTo: z.enum(['rate', 'quota']).optional(),
    effect: adjustmentEffectSchema,
  })
  .refine(({ api, limit }) => limit === undefined || api !== undefined, {
    path: ['api'],
    message: 'limit needs the API that it belongs to',
  })
  .refine(({ limit, effect }) => limit !== undefined || effect.kind !== 'set', {
    path: ['limit'],
    message: 'set needs the name of the limit',
  })
  .refine(({ source, effect }) => source !== 'own' || effect.kind === 'set', {
    path: ['effect'],
    message: "a tenant's own limit must be set",
  })
  .refine(({ source, effect }) => source === 'override' || effect.kind !== 'set' || !isBlocking(effect), {
    path: ['effect', 'limit'],
    message: 'only an override can block; set a limit of 1 or more',
  });

export type AdjustmentEffect = z.infer<typeof adjustmentEffectSchema>;
export type Adjustment = z.infer<typeof adjustmentSchema>;

/** A step from the tier's number to the effective one. */
export interface ProvenanceStep {
  readonly source: AdjustmentSource;
  readonly id: string;
  readonly from: number;
  readonly to: number;
}

export interface ResolvedLimit {
  readonly policy: LimitPolicy;
  readonly provenance: readonly ProvenanceStep[];
  /** Whether the nearest representable limit applies instead of the result. */
  readonly clamped: boolean;
}

const NOTHING: readonly ProvenanceStep[] = [];

/** A limit over all tenants cannot be adjusted. */
export function concerns({ api, limit, appliesTo }: Adjustment, policy: LimitPolicy): boolean {
  if (policy.per[0] === 'global') return false;
  if (api !== undefined && api !== policy.api) return false;
  if (limit !== undefined && limit !== policy.name) return false;
  return appliesTo === undefined || appliesTo === (policy.algorithm === 'quota' ? 'quota' : 'rate');
}

/**
 * `units`: those of top-ups and rollovers. They come after percentages and numbers that replace, so that bought units are added
 * once and are never taken away, except by an override of 0.
 */
const STAGES = ['warm_up', 'upgrade', 'topup', 'override', 'boost', 'units', 'own'] as const;

type Stage = (typeof STAGES)[number];

function stageOf({ source, effect }: Adjustment): Stage {
  return isUnits({ source, effect }) ? 'units' : source;
}

/** Whether an adjustment adds bought or rolled-over units. */
export function isUnits({ source, effect }: Pick<Adjustment, 'source' | 'effect'>): boolean {
  return source === 'topup' && effect.kind === 'add';
}

/**
 * Computes a tenant's limit from the tier (or the API's default), changed by the warm-up, then upgrades and percentages of
 * top-ups, overrides and boosts. Units of top-ups and rollovers follow, unless an override blocks the limit. A tenant's own limit
 * comes last and never raises the result. Within a stage, `set` replaces the number (the highest wins), then all percentages
 * apply, rounded down, then all units are added. The result is at least 1, unless the limit blocks: an adjustment that names it
 * can lift that, one of several limits leaves it. Burst, capacity and queue keep their proportion. Nodes, control plane, CLI and
 * console all use this function. Examples: docs/rules/effective-limits.md.
 */
export function resolveLimit(base: LimitPolicy, adjustments: readonly Adjustment[]): ResolvedLimit {
  const own = adjustments.filter((adjustment) => concerns(adjustment, base));
  if (own.length === 0) return { policy: base, provenance: NOTHING, clamped: false };
  const { provenance, limit, anchor } = applyStages(base, own);
  const wanted = scaled(base, limit, anchor);
  const live = representable(wanted, base);
  const policy = base.candidate === undefined ? live : { ...live, candidate: adjustCandidate(base, own) };
  return {
    policy: isSame(base, policy) ? base : policy,
    provenance,
    clamped: !isSame(wanted, live),
  };
}

/** @param base source of the unchanged number */
export function sourceOf(
  provenance: readonly ProvenanceStep[],
  base: 'default' | 'tier' = 'tier',
): LimitSource {
  return provenance.findLast(({ from, to }) => from !== to)?.source ?? base;
}

/** Numbers that others keep their proportion to. */
interface Anchor {
  limit: number;
  burst?: number | undefined;
  capacity?: number | undefined;
  queue?: number | undefined;
}

function applyStages(
  base: LimitPolicy,
  own: readonly Adjustment[],
): { provenance: ProvenanceStep[]; limit: number; anchor: Anchor } {
  const provenance: ProvenanceStep[] = [];
  let { limit } = base;
  let anchor: Anchor = base;
  const isBlockedByOverride = own.some(({ effect }) => effect.kind === 'set' && effect.limit === 0);
  for (const stage of STAGES) {
    if (stage === 'units' && limit === 0 && isBlockedByOverride) continue;
    const adjustments = own.filter((one) => stageOf(one) === stage).sort(byEffect);
    let [start, percents, factor, sum] = [limit, 1n, 1n, 0n];
    for (const { id, source, effect, limit: named } of adjustments) {
      if (start === 0 && named === undefined) continue;
      const from = limit;
      if (source === 'own') {
        if (effect.kind === 'set') start = Math.min(start, effect.limit);
      } else if (effect.kind === 'set') {
        // Sorted ascending: the highest comes last.
        anchor = anchorOf(base, effect);
        start = effect.limit;
      } else if (effect.kind === 'multiply') {
        percents *= BigInt(effect.percent);
        factor *= 100n;
      } else {
        sum += BigInt(effect.units);
      }
      limit = inRange((BigInt(start) * percents) / factor + sum, start === 0 ? 0 : 1);
      provenance.push({ source, id, from, to: limit });
    }
  }
  return { provenance, limit, anchor };
}

const RANKS: Record<AdjustmentEffect['kind'], number> = { set: 0, multiply: 1, add: 2 };

function byEffect({ id: a, effect: x }: Adjustment, { id: b, effect: y }: Adjustment): number {
  if (x.kind !== y.kind) return RANKS[x.kind] - RANKS[y.kind];
  if (x.kind === 'set' && y.kind === 'set' && x.limit !== y.limit) return x.limit - y.limit;
  return a < b ? -1 : a > b ? 1 : 0;
}

function anchorOf(base: LimitPolicy, effect: Extract<AdjustmentEffect, { kind: 'set' }>): Anchor {
  return { ...scaled(base, effect.limit, base), ...effect };
}

/** Changes the limit; the other numbers keep their proportion to `anchor`, if it has one. */
function scaled(base: LimitPolicy, limit: number, anchor: Anchor): LimitPolicy {
  if (limit === 0) return { ...base, limit };
  const inProportion = (value: number | undefined, least: number) =>
    anchor.limit === 0
      ? Math.max(least, value ?? 0)
      : Math.max(least, inRange((BigInt(value ?? 0) * BigInt(limit)) / BigInt(anchor.limit), 0));
  const changed =
    base.amounts === undefined ? base : { ...base, amounts: scaledAmounts(base.amounts, limit, base.limit) };
  switch (changed.algorithm) {
    case 'gcra':
      return { ...changed, limit, burst: inProportion(anchor.burst, 0) };
    case 'token_bucket':
      return { ...changed, limit, capacity: inProportion(anchor.capacity, anchor.limit === 0 ? limit : 1) };
    case 'leaky_bucket':
      return { ...changed, limit, queue: inProportion(anchor.queue, 0) };
    default:
      return { ...changed, limit };
  }
}

/** Amounts per label keep their proportion to the limit, which was `from`. Of a blocked limit, they are what fits. */
function scaledAmounts({ labels, others, ...rest }: LabelAmounts, limit: number, from: number): LabelAmounts {
  const scaledTo = (amount: number) =>
    Math.min(limit, from === 0 ? amount : inRange((BigInt(amount) * BigInt(limit)) / BigInt(from)));
  return {
    ...rest,
    labels: labels.map((one) => ({ ...one, limit: scaledTo(one.limit) })),
    ...(others === undefined ? {} : { others: others === 0 ? 0 : scaledTo(others) }),
  };
}

/**
 * The amount of one label as a limit; its other numbers keep their proportion to the limit.
 * @param label undefined: all labels without an amount @returns undefined if only the limit itself applies to the label
 */
export function amountOf(limit: LimitPolicy, label: string | undefined): LimitPolicy | undefined {
  const { amounts, candidate: _, ...whole } = limit;
  if (amounts === undefined) return undefined;
  const amount =
    label === undefined ? amounts.others : amounts.labels.find((one) => one.label === label)?.limit;
  if (amount === undefined) return undefined;
  const base = whole as LimitPolicy;
  return representable(scaled(base, amount, base), base);
}

/** A candidate is adjusted like its limit. */
function adjustCandidate(base: LimitPolicy, adjustments: readonly Adjustment[]): Rule {
  const { candidate: rule, throttle: _, consistency: __, ...common } = base;
  const candidate = { ...common, ...(rule as Rule) } as LimitPolicy;
  const own = adjustments.filter((adjustment) => concerns(adjustment, candidate));
  const { limit, anchor } = applyStages(candidate, own);
  const resolved = representable(scaled(candidate, limit, anchor), candidate) as Anchor;
  const numbers = Object.keys(rule as Rule).filter((name) => name in NUMBERS);
  return {
    ...rule,
    ...Object.fromEntries(numbers.map((name) => [name, resolved[name as keyof Anchor]])),
  } as Rule;
}

const NUMBERS = { limit: true, burst: true, capacity: true, queue: true } satisfies Record<
  keyof Anchor,
  true
>;

function isSame(a: LimitPolicy, b: LimitPolicy): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function inRange(value: bigint, least = 1): number {
  const most = BigInt(Number.MAX_SAFE_INTEGER);
  return Math.max(least, Number(value > most ? most : value));
}
