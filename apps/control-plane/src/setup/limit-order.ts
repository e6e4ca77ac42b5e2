import { Injectable } from '@nestjs/common';
import { type Adjustment, concerns, isUnits, type LimitPolicy, resolveLimit } from '@tollgate/contracts';
import { AdjustmentsRepository, TenantViews } from '../features/customers/index.js';
import { Clock } from '../platform/clock.js';
import { Database } from '../platform/prisma/database.js';
import { runInScope } from '../platform/tenant-scope.js';

/** Changes nothing in the database: the upgrade that applies it changes the order of adjustments. */
export const LIMIT_ORDER_MIGRATION = '20261129160000_limit_order';

/** A limit that has another value since units follow overrides and boosts. */
export interface ReorderedLimit {
  tenant: string;
  api: string;
  limit: string;
  before: number;
  after: number;
}

const AT_ONCE = 200;

/** Finds the limits that the order of adjustments of docs/adr/0072-units-after-overrides.md changes. */
@Injectable()
export class LimitOrderCheck {
  constructor(
    private readonly adjustments: AdjustmentsRepository,
    private readonly views: TenantViews,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Limits of all tenants under the adjustments in effect now, by the tenants' keys. */
  listReordered(): Promise<ReorderedLimit[]> {
    return runInScope('all', async () => {
      const tenants = await this.adjustments.listTenantsWithUnits(this.database.client, this.clock.now());
      const found: ReorderedLimit[] = [];
      for (let from = 0; from < tenants.length; from += AT_ONCE) {
        const page = tenants.slice(from, from + AT_ONCE);
        const situations = await this.views.list(page.map(({ id }) => id));
        for (const { id, key: tenant } of page) {
          const { stored = [], inForce = [] } = situations.get(id) ?? {};
          for (const { policy } of stored) {
            const numbers = reorderedNumbers(policy, inForce);
            if (numbers !== undefined)
              found.push({ tenant, api: policy.api, limit: policy.name, ...numbers });
          }
        }
      }
      return found;
    });
  }
}

/** The former and the present number of a limit; undefined: they are equal. */
export function reorderedNumbers(
  policy: LimitPolicy,
  inForce: readonly Adjustment[],
): Pick<ReorderedLimit, 'before' | 'after'> | undefined {
  const own = inForce.filter((one) => concerns(one, policy));
  const isLater = ({ source }: Adjustment) => source === 'override' || source === 'boost' || source === 'own';
  if (!own.some(isUnits) || !own.some(isLater)) return undefined;
  // Formerly, overrides and boosts changed the limit with the units.
  const withUnits = resolveLimit(
    policy,
    own.filter((one) => !isLater(one)),
  ).policy;
  const before = resolveLimit(withUnits, own.filter(isLater)).policy.limit;
  const after = resolveLimit(policy, own).policy.limit;
  return before === after ? undefined : { before, after };
}
