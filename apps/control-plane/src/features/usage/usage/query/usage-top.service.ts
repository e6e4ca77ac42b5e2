import { Injectable } from '@nestjs/common';
import { Clock } from '../../../../platform/clock/clock.js';
import { badInput } from '../../../../platform/errors/api-error.js';
import { TenantsRepository } from '../../../customers/index.js';
import { UsageRepository } from './usage.repository.js';
import { countOf, parseFilter } from './usage.service.js';
import { parseTopRange } from './usage-range.rules.js';
import {
  type LimitOffender,
  type LimitOffendersArgs,
  type TenantUsage,
  UsageOrder,
  type UsageTopArgs,
} from './usage-top.graphql.js';

const MAX_FIRST = 100;
const DEFAULT_FIRST = 10;

const COLUMNS = { DECISIONS: 'count', REFUSED: 'refused', UNITS: 'units' } as const;

/** Who uses most, and who is refused most. */
@Injectable()
export class UsageTopService {
  constructor(
    private readonly usage: UsageRepository,
    private readonly tenants: TenantsRepository,
    private readonly clock: Clock,
  ) {}

  /** @throws ApiError BAD_USER_INPUT for a stretch or a number that one answer cannot hold */
  async listTenants(args: UsageTopArgs): Promise<TenantUsage[]> {
    const { interval, ...range } = parseTopRange(args, this.clock.now());
    const filter = parseFilter({ apiKey: args.apiKey });
    const order = COLUMNS[args.orderBy ?? UsageOrder.DECISIONS];
    const rows = await this.usage.listTop(interval, range, filter, order, parseFirst(args.first));
    return rows.map((row) => ({ tenantKey: row.tenantKey, tenantName: row.tenantName, ...countOf(row) }));
  }

  /** Of a tenant that is not there: none. @throws ApiError BAD_USER_INPUT as above */
  async listOffenders({ tenantKey, first, ...asked }: LimitOffendersArgs): Promise<LimitOffender[]> {
    const { interval: _, ...range } = parseTopRange(asked, this.clock.now());
    const count = parseFirst(first);
    const tenant = tenantKey == null ? undefined : await this.tenants.findByKey(tenantKey);
    if (tenant === null) return [];
    const rows = await this.usage.listOffenders(tenant?.id, range, count);
    return rows.map((row) => ({
      tenantKey: row.tenantKey,
      apiKey: row.api,
      limitName: row.limitName,
      counter: row.counter,
      units: Number(row.units),
      error: Number(row.error),
      lastHour: row.at,
    }));
  }
}

function parseFirst(first: number | null | undefined): number {
  const count = first ?? DEFAULT_FIRST;
  if (count < 1 || count > MAX_FIRST) throw badInput(`first must be 1 to ${MAX_FIRST}`);
  return count;
}
