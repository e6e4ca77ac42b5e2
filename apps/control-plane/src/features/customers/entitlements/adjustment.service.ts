import { Injectable } from '@nestjs/common';
import { type Adjustment, concerns, type LimitPolicy, resolveLimit } from '@tollgate/contracts';
import type { CounterReading } from '@tollgate/decision-plane/internals';
import type { Caller } from '../../../platform/access/actor.js';
import { type Change, ChangeRunner } from '../../../platform/changes/change.js';
import {
  conflict,
  endingOf,
  invalid,
  notFound,
  type Outcome,
  type Refusal,
  refuse,
} from '../../../platform/changes/outcome.js';
import type { UserError } from '../../../platform/graphql/mutation.graphql.js';
import { RedisConnections } from '../../../platform/redis.js';
import { type TenantSituation, TenantViews } from '../tenants/tenant-record.repository.js';
import { type TenantRow, TenantsRepository } from '../tenants/tenants.repository.js';
import type { LimitPreview } from './entitlements.graphql.js';
import { AdjustmentsRepository } from './entitlements.repository.js';
import { TooManyAdjustments } from './entitlements.service.js';
import { findHiddenPurchases, type OrderedEffect } from './purchase-effects.rules.js';

type Draft = Omit<Adjustment, 'id'>;

export interface AdjustmentDraft {
  draft: Draft;
  /** Id of the adjustment that it replaces. */
  replaces?: string | undefined;
  /** Path of its fields in the input. */
  path?: readonly string[];
}

/** A limit in the tier, and its effective value before and after an adjustment. */
interface LimitChange {
  base: LimitPolicy;
  before: LimitPolicy;
  after: LimitPolicy;
  clamped: boolean;
  /** The limit without the adjustment. */
  ceiling: number;
  used: number | undefined;
}

export interface AdjustmentFindings {
  errors: UserError[];
  /** Warnings; the change is made anyway. */
  warnings: string[];
  /** Labels of upgrades and top-ups that the adjustment makes ineffective. */
  hiddenPurchases: string[];
}

/**
 * Validates an adjustment: its target must exist, it must change a limit, and the result must be countable. A limit below
 * current usage is a warning.
 * @param readings counters of the situation's limits, in their order
 * @param ordered effects of the tenant's unpaid orders
 */
export function checkAdjustment(
  situation: TenantSituation,
  { draft, replaces, path = [] }: AdjustmentDraft,
  readings: readonly (CounterReading | null)[],
  ordered: readonly OrderedEffect[],
): AdjustmentFindings {
  const missing = findMissing(situation, draft, path);
  const failed = (error: UserError) => ({ errors: [error], warnings: [], hiddenPurchases: [] });
  if (missing !== undefined) return failed(missing);
  const changes = changesOf(situation, draft, replaces, readings);
  const raised = draft.source === 'own' && changes.find((change) => change.ceiling <= draftLimit(draft));
  if (raised) {
    const message = `Enter less than ${raised.ceiling}: an own limit never raises a limit.`;
    return failed(invalid([...path, 'max'], message));
  }
  const foreign = findForeignNumber(draft, changes[0]?.base);
  if (foreign !== undefined) {
    return failed(invalid([...path, 'effect', foreign], `This limit has no ${foreign}.`));
  }
  if (changes.every(({ before, after }) => JSON.stringify(before) === JSON.stringify(after))) {
    const own = draft.source !== 'own' && situation.inForce.find(({ source }) => source === 'own');
    const message = own
      ? `The customer's own limit${own.limit === undefined ? '' : ` on ${own.limit}`} stays in effect, so nothing would change. Ask the customer to remove it.`
      : 'This would not change any limit. Choose another value.';
    return failed(invalid([...path, 'effect'], message));
  }
  const [clamped] = changes.filter((change) => change.clamped);
  if (clamped !== undefined && draft.limit !== undefined) {
    const { name, limit } = clamped.after;
    const message = `Limit ${name} cannot have this value; the nearest one is ${limit}. Choose that, or another tier.`;
    return failed(invalid([...path, 'effect'], message));
  }
  const others = situation.inForce.filter(({ id }) => id !== replaces);
  const isLasting = draft.source === 'override';
  const hiddenPurchases = isLasting
    ? findHiddenPurchases(situation, others, { ...draft, id: 'draft' }, ordered)
    : [];
  const hidden = hiddenPurchases.map((label) => `The override makes "${label}" ineffective.`);
  return { errors: [], warnings: [...changes.flatMap(warningsOf), ...hidden], hiddenPurchases };
}

function findMissing(
  { view }: TenantSituation,
  draft: Draft,
  path: readonly string[],
): UserError | undefined {
  const { api, limit } = draft;
  const policies = view.limits.map(({ policy }) => policy);
  if (api !== undefined && !policies.some((policy) => policy.api === api)) {
    return notFound([...path, 'apiKey'], `limit on API "${api}" for this tenant`);
  }
  if (limit !== undefined && !policies.some((policy) => policy.api === api && policy.name === limit)) {
    return notFound([...path, 'limit'], `limit "${limit}" on API "${api}" for this tenant`);
  }
  if (policies.some((policy) => concerns({ ...draft, id: '' }, policy))) return undefined;
  const message = 'The tenant has no limit of this kind, or the limit is shared by all tenants.';
  return invalid([...path, limit === undefined ? 'appliesTo' : 'limit'], message);
}

function changesOf(
  { view, stored, inForce }: TenantSituation,
  draft: Draft,
  replaces: string | undefined,
  readings: readonly (CounterReading | null)[],
): LimitChange[] {
  const adjustment = { ...draft, id: 'draft' };
  const others = inForce.filter(({ id }) => id !== replaces);
  return stored.flatMap(({ policy: base }, i) => {
    if (!concerns(adjustment, base)) return [];
    const { policy: after, clamped } = resolveLimit(base, [...others, adjustment]);
    const before = view.limits[i]?.policy ?? base;
    const ceiling = resolveLimit(base, others).policy.limit;
    return [{ base, before, after, clamped, ceiling, used: readings[i]?.used }];
  });
}

const draftLimit = ({ effect }: Draft): number => (effect.kind === 'set' ? effect.limit : 0);

const NUMBER_OF = { gcra: 'burst', token_bucket: 'capacity', leaky_bucket: 'queue' } as const;

function findForeignNumber({ effect }: Draft, base: LimitPolicy | undefined): string | undefined {
  if (effect.kind !== 'set' || base === undefined) return undefined;
  const own = base.algorithm in NUMBER_OF ? NUMBER_OF[base.algorithm as keyof typeof NUMBER_OF] : undefined;
  return Object.values(NUMBER_OF).find((name) => name !== own && effect[name] !== undefined);
}

function warningsOf({ before, after, clamped, used = 0 }: LimitChange): string[] {
  const name = `${after.api}/${after.name}`;
  return [
    ...(clamped ? [`${name}: set to ${after.limit}, the highest value that can be counted.`] : []),
    ...(after.limit < before.limit && used > after.limit
      ? [
          `${name}: ${used} used, above the new limit of ${after.limit}. Requests are denied until usage drops.`,
        ]
      : []),
  ];
}

/** Result of a mutation that adjusts limits. */
export interface Adjusted<T> {
  tenant: TenantRow;
  /** Null after an error. */
  row: T | null;
  warnings: string[];
  /** Dry run: the tenant's limits after the change. */
  preview?: LimitPreview[];
}

/** Payload of a mutation that adjusts limits, with its row under `name`. */
export function adjustmentPayload<N extends string, T>(name: N, outcome: Outcome<Adjusted<T>>) {
  const adjusted = outcome.ok ? outcome.value : outcome.current;
  const { tenant = null, row = null, warnings = [], preview = [] } = adjusted ?? {};
  const object = { [name]: row } as Record<N, T | null>;
  return { ...object, tenant, warnings, preview, ...endingOf(outcome) };
}

@Injectable()
export class AdjustmentService {
  constructor(
    private readonly changes: ChangeRunner,
    private readonly tenants: TenantsRepository,
    private readonly views: TenantViews,
    private readonly adjustments: AdjustmentsRepository,
    private readonly redis: RedisConnections,
  ) {}

  /** Runs `work` on the locked tenant. Errors: NOT_FOUND, CONFLICT unless `expectedVersion` is null, INVALID for too many. */
  async change<T>(
    caller: Caller,
    input: { tenantKey: string; expectedVersion: number | null; reason: string | null },
    work: (change: Change, tenant: TenantRow) => Promise<Adjusted<T> | Refusal<Adjusted<T>>>,
  ): Promise<Outcome<Adjusted<T>>> {
    const { tenantKey, expectedVersion, reason } = input;
    try {
      return await this.changes.run<Adjusted<T>>(caller, { reason }, async (change) => {
        const tenant = await this.tenants.lockByKey(change.tx, tenantKey);
        if (tenant === null) return refuse([notFound(['tenantKey'], `tenant "${tenantKey}"`)]);
        if (expectedVersion !== null && tenant.version !== expectedVersion) {
          return refuse([conflict('tenant')], { tenant, row: null, warnings: [] });
        }
        const done = await work(change, tenant);
        return caller.dryRun === true && !('ok' in done) ? this.withPreview(change, done) : done;
      });
    } catch (error) {
      if (!(error instanceof TooManyAdjustments)) throw error;
      return refuse([invalid(['tenantKey'], `${error.message}. End one first.`)]);
    }
  }

  private async withPreview<T>(change: Change, done: Adjusted<T>): Promise<Adjusted<T>> {
    const { view } = await this.views.get(done.tenant.id, change.tx);
    const preview = view.limits.map(({ policy: { api, name, limit } }) => ({
      apiKey: api,
      limitName: name,
      limit,
    }));
    return { ...done, preview };
  }

  async check(
    change: Change,
    tenant: TenantRow,
    drafts: readonly AdjustmentDraft[],
  ): Promise<AdjustmentFindings> {
    const situation = await this.views.get(tenant.id, change.tx);
    const readings = await situation.view.peek(this.redis.counters);
    const ordered = (await this.adjustments.listOrdered([tenant.id], change.tx)).get(tenant.id) ?? [];
    const findings = drafts.map((draft) => checkAdjustment(situation, draft, readings, ordered));
    return {
      errors: findings.flatMap(({ errors }) => errors),
      warnings: findings.flatMap(({ warnings }) => warnings),
      hiddenPurchases: findings.flatMap(({ hiddenPurchases }) => hiddenPurchases),
    };
  }
}
