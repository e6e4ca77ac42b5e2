import { Injectable } from '@nestjs/common';
import { type Adjustment, concerns, type LimitPolicy, resolveLimit } from '@tollgate/contracts';
import { type CounterReading } from '@tollgate/decision-plane/internals';
import { type Caller } from '../../../platform/access/actor.js';
import { type Change } from '../../../platform/changes/change.js';
import { ChangeRunner } from '../../../platform/changes/change-runner.js';
import {
  conflict,
  notFound,
  type Outcome,
  type Refusal,
  refuse,
  userError,
} from '../../../platform/changes/outcome.js';
import { type UserError, UserErrorCode } from '../../../platform/graphql/user-error.graphql.js';
import { RedisConnections } from '../../../platform/redis.js';
import { type TenantSituation, TenantViews } from '../tenants/tenant-record.repository.js';
import { type TenantRow, TenantsRepository } from '../tenants/tenants.repository.js';
import { TooManyAdjustments } from './entitlements.service.js';
import { findHiddenPurchases } from './purchase-effects.rules.js';

type Draft = Omit<Adjustment, 'id'>;

/** A requested adjustment. */
export interface AdjustmentDraft {
  draft: Draft;
  /** The one that it takes the place of. */
  replaces?: string | undefined;
  /** Where its fields are in the input. */
  path?: readonly string[];
}

/** A limit as it is and as it would be. */
interface LimitChange {
  base: LimitPolicy;
  before: LimitPolicy;
  after: LimitPolicy;
  clamped: boolean;
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
 * Finds what is wrong with an adjustment of a tenant's limits: a limit that there is not, nothing that would change, or more
 * than can be counted. Lowering a limit below what is used is allowed, and said.
 * @param readings of the situation's limits, in their order
 */
export function checkAdjustment(
  situation: TenantSituation,
  { draft, replaces, path = [] }: AdjustmentDraft,
  readings: readonly (CounterReading | null)[],
): AdjustmentFindings {
  const missing = findMissing(situation, draft, path);
  if (missing !== undefined) return { errors: [missing], warnings: [], hiddenPurchases: [] };
  const changes = changesOf(situation, draft, replaces, readings);
  const error = (field: string[], message: string) => ({
    errors: [userError(UserErrorCode.INVALID, [...path, ...field], message)],
    warnings: [],
    hiddenPurchases: [],
  });
  const foreign = findForeignNumber(draft, changes[0]?.base);
  if (foreign !== undefined) return error(['effect', foreign], `This limit has no ${foreign}; leave it out.`);
  if (changes.every(({ before, after }) => JSON.stringify(before) === JSON.stringify(after))) {
    return error(
      ['effect'],
      'This changes nothing: the limits that it is for stay as they are. Choose another number.',
    );
  }
  const [clamped] = changes.filter((change) => change.clamped);
  if (clamped !== undefined && draft.limit !== undefined) {
    const { name, limit } = clamped.after;
    const message = `Limit ${name} cannot be counted that way; the nearest is ${limit}. Choose that, or another tier.`;
    return error(['effect'], message);
  }
  const others = situation.inForce.filter(({ id }) => id !== replaces);
  const isLasting = draft.source === 'override';
  const hiddenPurchases = isLasting ? findHiddenPurchases(situation, others, { ...draft, id: 'draft' }) : [];
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
    return notFound(
      [...path, 'apiKey'],
      `limit on API "${api}" for this tenant; look at its effective limits`,
    );
  }
  if (limit !== undefined && !policies.some((policy) => policy.api === api && policy.name === limit)) {
    return notFound(
      [...path, 'limit'],
      `limit "${limit}" on API "${api}" for this tenant; look at its effective limits`,
    );
  }
  if (policies.some((policy) => concerns({ ...draft, id: '' }, policy))) return undefined;
  const message =
    'No limit of this tenant is of that kind, or it counts all tenants together and is nobody’s to change.';
  return userError(UserErrorCode.INVALID, [...path, limit === undefined ? 'appliesTo' : 'limit'], message);
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
    return [{ base, before, after, clamped, used: readings[i]?.used }];
  });
}

const NUMBER_OF = { gcra: 'burst', token_bucket: 'capacity', leaky_bucket: 'queue' } as const;

function findForeignNumber({ effect }: Draft, base: LimitPolicy | undefined): string | undefined {
  if (effect.kind !== 'set' || base === undefined) return undefined;
  const own = base.algorithm in NUMBER_OF ? NUMBER_OF[base.algorithm as keyof typeof NUMBER_OF] : undefined;
  return Object.values(NUMBER_OF).find((name) => name !== own && effect[name] !== undefined);
}

function warningsOf({ before, after, clamped, used = 0 }: LimitChange): string[] {
  const name = `${after.api}/${after.name}`;
  return [
    ...(clamped ? [`${name}: ${after.limit} is the most that can be counted; it stays at that.`] : []),
    ...(after.limit < before.limit && used > after.limit
      ? [
          `${name}: ${used} are used, more than the ${after.limit} that it comes to; nothing passes until enough is over.`,
        ]
      : []),
  ];
}

/** Result of a mutation that adjusts limits. */
export interface Adjusted<T> {
  tenant: TenantRow;
  /** Null where it was refused. */
  row: T | null;
  warnings: string[];
  /** Dry run: the tenant's limits after the change. */
  preview?: LimitPreview[];
}

/** One limit as it would be. */
export interface LimitPreview {
  apiKey: string;
  limitName: string;
  limit: number;
}

/** Common part of all changes of adjustments. */
@Injectable()
export class AdjustmentService {
  constructor(
    private readonly changes: ChangeRunner,
    private readonly tenants: TenantsRepository,
    private readonly views: TenantViews,
    private readonly redis: RedisConnections,
  ) {}

  /** Runs `work` on the locked tenant, if there is one and it is as the caller saw it; null: whichever way it is. */
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
      const message = `${error.message}. End some that are not needed any more.`;
      return refuse([userError(UserErrorCode.INVALID, ['tenantKey'], message)]);
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

  /** Problems of adjustments of a tenant. */
  async check(
    change: Change,
    tenant: TenantRow,
    drafts: readonly AdjustmentDraft[],
  ): Promise<AdjustmentFindings> {
    const situation = await this.views.get(tenant.id, change.tx);
    const readings = await situation.view.peek(this.redis.counters);
    const findings = drafts.map((draft) => checkAdjustment(situation, draft, readings));
    return {
      errors: findings.flatMap(({ errors }) => errors),
      warnings: findings.flatMap(({ warnings }) => warnings),
      hiddenPurchases: findings.flatMap(({ hiddenPurchases }) => hiddenPurchases),
    };
  }
}
