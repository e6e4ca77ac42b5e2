import { Injectable } from '@nestjs/common';
import { Args, ObjectType, Query, Resolver } from '@nestjs/graphql';
import { type Adjustment, concerns, resolveLimit } from '@tollgate/contracts';
import { RequireTenantPermission } from '../../../platform/access/require-permission.decorator.js';
import { Clock } from '../../../platform/clock.js';
import { cursorCodec, idOf } from '../../../platform/graphql/connection.js';
import { enumOf, field, ObjectOf } from '../../../platform/graphql/object-of.js';
import { LintSeverity } from '../../catalogue/index.js';
import {
  AdjustmentsRepository,
  sourceOfOverride,
  targetOf,
} from '../entitlements/entitlements.repository.js';
import { findHiddenPurchases, type OrderedEffect } from '../entitlements/purchase-effects.rules.js';
import { type TenantSituation, TenantViews } from '../tenants/tenant-record.repository.js';
import { TenantsRepository } from '../tenants/tenants.repository.js';
import { Override } from './overrides.graphql.js';
import { type OverrideRow, OverridesRepository } from './overrides.repository.js';

export const OverrideLintCode = enumOf('OverrideLintCode', 'Problem of an override or boost.', {
  EXPIRED: 'It has expired and was not removed.',
  NEVER_APPLIES: 'The tenant has no matching limit.',
  CHANGES_NOTHING: 'It does not change any limit.',
  HIDES_PURCHASE: 'An upgrade or top-up that the tenant has or ordered has no effect because of it.',
});
export type OverrideLintCode = keyof typeof OverrideLintCode;

@ObjectType({ description: 'A problem of an override or boost.' })
export class OverrideLintFinding extends ObjectOf({
  severity: field.of(() => LintSeverity, 'Severity.'),
  code: field.of(() => OverrideLintCode, 'Kind of problem.'),
  override: field.of(() => Override, 'The override or boost.'),
  message: field.string('The problem.'),
  advice: field.string('The recommended action.'),
}) {}

@ObjectType({ description: 'Lint findings of one page of overrides and boosts, newest first.' })
export class OverrideLint extends ObjectOf({
  findings: field.of(() => OverrideLintFinding, 'The problems found.').list(),
  endCursor: field.string('Pass as `after` to get the next page; null: no more pages.').nullable(),
}) {}

/** A tenant's limits from its tier, the adjustments in effect, and those of unpaid orders. */
export type TenantLimits = Pick<TenantSituation, 'stored' | 'inForce' | 'adjustments'> & {
  ordered: readonly OrderedEffect[];
};

export interface OverrideProblem {
  code: OverrideLintCode;
  message: string;
  advice: string;
}

/**
 * Why an override or boost has no effect, or which adjustments it hides; undefined: neither.
 * @param limits undefined: the tenant has no tier version
 */
export function findOverrideProblem(
  { adjustment, endsAt }: { adjustment: Adjustment; endsAt: Date | null },
  limits: TenantLimits | undefined,
  now: Date,
): OverrideProblem | undefined {
  if (endsAt !== null && endsAt <= now) {
    const message = `It ended at ${endsAt.toISOString()} and no longer has an effect.`;
    return { code: 'EXPIRED', message, advice: 'Remove it from the configuration, or set it again.' };
  }
  if (limits === undefined) return undefined;
  const concerned = limits.stored.filter(({ policy }) => concerns(adjustment, policy));
  if (concerned.length === 0) {
    const message = `The tenant has no matching limit: ${placeOf(adjustment)}.`;
    return { code: 'NEVER_APPLIES', message, advice: 'Remove it, or target a limit of the tier.' };
  }
  const others = limits.inForce.filter(({ id }) => id !== adjustment.id);
  const isUseless = concerned.every(({ policy }) => {
    const [without, together] = [resolveLimit(policy, others), resolveLimit(policy, [...others, adjustment])];
    return JSON.stringify(without.policy) === JSON.stringify(together.policy);
  });
  if (!isUseless) return findHiding(adjustment, limits, others);
  const message = `Without it, ${placeOf(adjustment)} would not change.`;
  return { code: 'CHANGES_NOTHING', message, advice: 'Remove it, or choose another value.' };
}

function findHiding(
  adjustment: Adjustment,
  limits: TenantLimits,
  others: readonly Adjustment[],
): OverrideProblem | undefined {
  if (adjustment.source !== 'override') return undefined;
  const hidden = findHiddenPurchases(limits, others, adjustment, limits.ordered);
  if (hidden.length === 0) return undefined;
  const message = `The tenant has or ordered "${hidden.join('", "')}", which has no effect because of this override.`;
  const advice = 'Raise or remove the override, or refund the purchase or cancel the order.';
  return { code: 'HIDES_PURCHASE', message, advice };
}

function placeOf({ api, limit, appliesTo }: Adjustment): string {
  const kind = appliesTo === undefined ? '' : appliesTo === 'quota' ? ' (quotas)' : ' (rates)';
  return `${limit === undefined ? 'every limit' : `limit "${limit}"`} of ${api === undefined ? 'every API' : `API "${api}"`}${kind}`;
}

const AT_ONCE = 200;

/** How long expired overrides are reported; those managed by a configuration always are. */
const NOTICES_MS = 30 * 86_400_000;

export interface FoundOverride extends OverrideProblem {
  override: OverrideRow;
}

/** Finds overrides and boosts that have no effect, or hide a purchase. */
@Injectable()
export class OverrideLintService {
  constructor(
    private readonly overrides: OverridesRepository,
    private readonly tenants: TenantsRepository,
    private readonly views: TenantViews,
    private readonly adjustments: AdjustmentsRepository,
    private readonly clock: Clock,
  ) {}

  /**
   * Checks one page of overrides of one tenant, or of all visible tenants, after the id `after`, newest first.
   * @returns `last`: the id to continue after; null: no more pages
   */
  async lint(
    tenantKey: string | null | undefined,
    after: string | undefined,
  ): Promise<{ findings: FoundOverride[]; last: string | null }> {
    const tenantId = await this.tenants.findFilterId(tenantKey);
    const now = this.clock.now();
    const since = new Date(now.getTime() - NOTICES_MS);
    const rows = await this.overrides.listKept(tenantId, since, { first: AT_ONCE, after });
    const page = rows.slice(0, AT_ONCE);
    const tenantIds = [...new Set(page.map((row) => row.tenantId))];
    const situations = await this.views.list(tenantIds);
    const ordered = await this.adjustments.listOrdered(tenantIds);
    const findings = page.flatMap((override) => {
      const adjustment = { id: override.id, source: sourceOfOverride(override), ...targetOf(override) };
      const situation = situations.get(override.tenantId);
      const limits = situation && { ...situation, ordered: ordered.get(override.tenantId) ?? [] };
      const problem = findOverrideProblem({ adjustment, endsAt: override.endsAt }, limits, now);
      return problem === undefined ? [] : [{ ...problem, override }];
    });
    return { findings, last: rows.length > AT_ONCE ? (page.at(-1)?.id ?? null) : null };
  }
}

const cursors = cursorCodec('overrideLint', idOf('override'));

@Resolver(() => OverrideLint)
export class OverrideLintResolver {
  constructor(private readonly service: OverrideLintService) {}

  @RequireTenantPermission('entitlements:read', 'tenantKey')
  @Query(() => OverrideLint, {
    name: 'overrideLint',
    description: 'Problems of overrides and boosts, 200 checked per page, newest first.',
  })
  async lint(
    @Args('tenantKey', {
      type: () => String,
      nullable: true,
      description: 'Only of this tenant; omitted: all tenants visible to the caller.',
    })
    tenantKey?: string | null,
    @Args('after', {
      type: () => String,
      nullable: true,
      description: 'The `endCursor` of the previous page.',
    })
    after?: string | null,
  ) {
    const { findings, last } = await this.service.lint(
      tenantKey,
      after == null ? undefined : cursors.decode(after),
    );
    return {
      findings: findings.map((finding) => ({ ...finding, severity: severityOf(finding.code) })),
      endCursor: last === null ? null : cursors.encode(last),
    };
  }
}

function severityOf(code: string): LintSeverity {
  return code === 'EXPIRED' ? LintSeverity.INFO : LintSeverity.WARNING;
}
