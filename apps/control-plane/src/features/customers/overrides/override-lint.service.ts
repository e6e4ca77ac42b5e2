import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock.js';
import { targetOf } from '../entitlements/adjustments.repository.js';
import { TenantViews } from '../tenants/tenant-views.js';
import { TenantsRepository } from '../tenants/tenants.repository.js';
import { findOverrideProblem, type OverrideProblem } from './override-lint.rules.js';
import { type OverrideRow, OverridesRepository } from './overrides.repository.js';

/** Overrides that are looked at in one go. */
const AT_ONCE = 200;

/** How long one that ended by itself is told of; one that a configuration keeps, for as long as it does. */
const NOTICES_MS = 30 * 86_400_000;

export interface FoundOverride extends OverrideProblem {
  override: OverrideRow;
}

/** Looks for overrides and boosts that do nothing, or hide a purchase. */
@Injectable()
export class OverrideLintService {
  constructor(
    private readonly overrides: OverridesRepository,
    private readonly tenants: TenantsRepository,
    private readonly views: TenantViews,
    private readonly clock: Clock,
  ) {}

  /**
   * Of one tenant, or of all that may be seen: of the next ones after `after` (an id), newest first.
   * @returns `last`: the id to go on after; null: there are no more
   */
  async lint(
    tenantKey: string | null,
    after: string | undefined,
  ): Promise<{ findings: FoundOverride[]; last: string | null }> {
    // Of a tenant that there is not, as of one that has none.
    const tenantId = tenantKey === null ? null : ((await this.tenants.findByKey(tenantKey))?.id ?? '');
    const now = this.clock.now();
    const since = new Date(now.getTime() - NOTICES_MS);
    const rows = await this.overrides.listKept(tenantId, since, { first: AT_ONCE, after });
    const page = rows.slice(0, AT_ONCE);
    const situations = await this.views.list([...new Set(page.map((row) => row.tenantId))]);
    const findings = page.flatMap((override) => {
      const source = override.kind === 'BOOST' ? ('boost' as const) : ('override' as const);
      const adjustment = { id: override.id, source, ...targetOf(override) };
      const problem = findOverrideProblem(
        { adjustment, endsAt: override.endsAt },
        situations.get(override.tenantId),
        now,
      );
      return problem === undefined ? [] : [{ ...problem, override }];
    });
    return { findings, last: rows.length > AT_ONCE ? (page.at(-1)?.id ?? null) : null };
  }
}
