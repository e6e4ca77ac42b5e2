import { Injectable } from '@nestjs/common';
import { notFound, type Refusal, refuse, searchTerm, userError } from '../../../platform/changes/outcome.js';
import { UserErrorCode } from '../../../platform/graphql/user-error.graphql.js';
import type { Tx } from '../../../platform/prisma/database.js';
import { TenantsRepository } from '../tenants/tenants.repository.js';
import { MAX_TENANTS, type StartFacts } from './bulk-action.rules.js';

export type Target = { id: string; key: string };

/** How many unknown names a refusal says. */
const NAMED = 5;

/** Finds the tenants that an action is for. */
@Injectable()
export class BulkTargets {
  constructor(private readonly tenants: TenantsRepository) {}

  /** By key. Refused: NOT_FOUND for names, CONFLICT where there are more or fewer than were seen, INVALID for none or too many. */
  async find(tx: Tx, { tenantKeys, filter }: StartFacts): Promise<Target[] | Refusal<never>> {
    const found = await this.tenants.listLiving(
      tx,
      {
        search: searchTerm(filter?.search),
        tierKey: filter?.tier ?? undefined,
        status: filter?.status ?? undefined,
        visible: 'all',
        ...(tenantKeys == null ? {} : { keys: tenantKeys }),
      },
      MAX_TENANTS,
    );
    if (tenantKeys != null) {
      const known = new Set(found.map(({ key }) => key));
      const missing = tenantKeys.filter((key) => !known.has(key));
      if (missing.length > 0) {
        const names = missing.slice(0, NAMED).join(', ');
        return refuse([notFound(['tenantKeys'], `tenant ${names}${missing.length > NAMED ? ', …' : ''}`)]);
      }
    }
    const problem = problemOf(found.length, filter?.expectedCount);
    return problem === undefined ? found : refuse([problem]);
  }
}

function problemOf(count: number, expected: number | null | undefined) {
  const { INVALID, CONFLICT } = UserErrorCode;
  if (count > MAX_TENANTS) {
    const message = `More than ${MAX_TENANTS} tenants match; narrow the filter.`;
    return userError(INVALID, ['filter'], message);
  }
  if (expected != null && expected !== count) {
    const message = `${expected} tenants matched when you looked, ${count} do now. Look again, then repeat it.`;
    return userError(CONFLICT, ['filter', 'expectedCount'], message);
  }
  return count === 0 ? userError(INVALID, ['filter'], 'No tenant matches.') : undefined;
}
