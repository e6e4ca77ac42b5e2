import { Injectable } from '@nestjs/common';
import { type Adjustment, concerns, type LimitPolicy, resolveLimit } from '@tollgate/contracts';
import type { CounterReading } from '@tollgate/decision-plane/operate';
import type { Caller } from '../../../platform/access/actor.js';
import { type Change, ChangeRunner } from '../../../platform/changes/change.js';
import {
  endingOf,
  errorsAt,
  invalid,
  notFound,
  type Outcome,
  onlyOf,
  type Refusal,
  refuse,
} from '../../../platform/changes/outcome.js';
import type { UserError } from '../../../platform/graphql/mutation.graphql.js';
import { RedisConnections } from '../../../platform/redis.js';
import { changeOf, lockTenants, type TenantChange } from '../tenants/tenant-changes.js';
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
  /** Among the limits of the tenant. */
  index: number;
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
    return [{ index: i, base, before, after, clamped, ceiling, used: readings[i]?.used }];
  });
}

/** Indexes of the limits that an adjustment lowers, whose usage is compared. */
function loweredBy(situation: TenantSituation, { draft, replaces }: AdjustmentDraft): number[] {
  return changesOf(situation, draft, replaces, []).flatMap(({ index, before, after }) =>
    after.limit < before.limit ? [index] : [],
  );
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

interface AdjustedTenant {
  tenantKey: string;
  /** Null: not checked. */
  expectedVersion: number | null;
  reason: string | null;
}

/** Few enough for the deadline of a call to Redis. */
const PEEKS_IN_FLIGHT = 64;

const tooMany = ({ message }: TooManyAdjustments) => invalid(['tenantKey'], `${message}. End one first.`);

function findingsOf(
  situation: TenantSituation,
  drafts: readonly AdjustmentDraft[],
  readings: readonly (CounterReading | null)[],
  ordered: readonly OrderedEffect[],
): AdjustmentFindings {
  const findings = drafts.map((draft) => checkAdjustment(situation, draft, readings, ordered));
  return {
    errors: findings.flatMap(({ errors }) => errors),
    warnings: findings.flatMap(({ warnings }) => warnings),
    hiddenPurchases: findings.flatMap(({ hiddenPurchases }) => hiddenPurchases),
  };
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
    input: AdjustedTenant,
    work: (change: Change, tenant: TenantRow) => Promise<Adjusted<T> | Refusal<Adjusted<T>>>,
  ): Promise<Outcome<Adjusted<T>>> {
    const { reason } = input;
    try {
      return await this.changes.run<Adjusted<T>>(caller, { reason }, async (change) => {
        const locked = onlyOf(await this.lock<T>(change, [input]));
        if ('ok' in locked) return locked;
        const done = await work(change, locked.tenant);
        return caller.dryRun === true && !('ok' in done) ? this.withPreview(change, done) : done;
      });
    } catch (error) {
      if (!(error instanceof TooManyAdjustments)) throw error;
      return refuse([tooMany(error)]);
    }
  }

  /** As `change`, for different tenants. Errors have the index of their input before their field. */
  async changeAll<T, I extends AdjustedTenant>(
    caller: Caller,
    inputs: readonly I[],
    work: (
      change: Change,
      locked: readonly TenantChange<I>[],
    ) => Promise<Adjusted<T>[] | Refusal<Adjusted<T>[]>>,
  ): Promise<Outcome<Adjusted<T>[]>> {
    try {
      return await this.changes.run<Adjusted<T>[]>(caller, { reason: null }, async (change) => {
        const locked = await this.lock<T>(change, inputs);
        if ('ok' in locked) return locked;
        return work(
          change,
          locked.map(({ tenant }, index) => changeOf(change, tenant, inputs[index] as I)),
        );
      });
    } catch (error) {
      if (!(error instanceof TooManyAdjustments)) throw error;
      const index = inputs.findIndex(({ tenantKey }) => tenantKey === error.tenantKey);
      return refuse(errorsAt(index, [tooMany(error)]));
    }
  }

  private async lock<T>(
    change: Change,
    inputs: readonly AdjustedTenant[],
  ): Promise<Adjusted<T>[] | Refusal<Adjusted<T>[]>> {
    const unchanged = (tenants: readonly TenantRow[]) =>
      tenants.map((tenant) => ({ tenant, row: null, warnings: [] }));
    const locked = await lockTenants(this.tenants, change, inputs);
    if (!('ok' in locked)) return unchanged(locked);
    return refuse(locked.errors, unchanged(locked.current ?? []));
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
    const [findings] = await this.checkAll(change, [{ tenant, drafts }]);
    return findings as AdjustmentFindings;
  }

  /** As `check`, for many tenants, in their order. */
  async checkAll(
    { tx }: Change,
    checks: readonly { tenant: TenantRow; drafts: readonly AdjustmentDraft[] }[],
  ): Promise<AdjustmentFindings[]> {
    const tenantIds = checks.map(({ tenant }) => tenant.id);
    const situations = await this.views.list(tenantIds, tx);
    const ordered = await this.adjustments.listOrdered(tenantIds, tx);
    const found: AdjustmentFindings[] = [];
    for (let first = 0; first < checks.length; first += PEEKS_IN_FLIGHT) {
      const some = checks.slice(first, first + PEEKS_IN_FLIGHT);
      found.push(
        ...(await Promise.all(
          some.map(async ({ tenant, drafts }) => {
            const situation = situations.get(tenant.id);
            if (situation === undefined) throw new Error(`Tenant ${tenant.id} is on no published version`);
            const lowered = new Set(drafts.flatMap((draft) => loweredBy(situation, draft)));
            const readings =
              lowered.size === 0
                ? []
                : await situation.view.peek(this.redis.counters, (index) => lowered.has(index));
            return findingsOf(situation, drafts, readings, ordered.get(tenant.id) ?? []);
          }),
        )),
      );
    }
    return found;
  }
}
