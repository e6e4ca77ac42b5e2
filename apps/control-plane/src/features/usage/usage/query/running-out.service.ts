import { Injectable } from '@nestjs/common';
import { Clock } from '../../../../platform/clock/clock.js';
import { badInput } from '../../../../platform/errors/api-error.js';
import type { GraphqlContext } from '../../../../platform/graphql/context.js';
import { TenantsRepository } from '../../../customers/index.js';
import { UsageRepository } from './usage.repository.js';
import type { RunningOut } from './usage-summary.graphql.js';
import { UsageSummaryService } from './usage-summary.service.js';

/** Tenants that are looked at in one answer; each asks for its counters. */
const MAX_TENANTS = 60;
const MAX_FIRST = 50;
const DEFAULT_HOURS = 24;
const HOUR_MS = 3_600_000;

/** Says who will have used up a quota soon. */
@Injectable()
export class RunningOutService {
  constructor(
    private readonly usage: UsageRepository,
    private readonly tenants: TenantsRepository,
    private readonly summaries: UsageSummaryService,
    private readonly clock: Clock,
  ) {}

  /** The soonest first. @throws ApiError BAD_USER_INPUT for numbers out of range */
  async list(
    context: GraphqlContext,
    args: { hours?: number | null; first?: number | null },
  ): Promise<RunningOut[]> {
    const [hours, first] = [args.hours ?? DEFAULT_HOURS, args.first ?? 10];
    if (hours < 1 || hours > DEFAULT_HOURS) throw badInput(`hours must be 1 to ${DEFAULT_HOURS}`);
    if (first < 1 || first > MAX_FIRST) throw badInput(`first must be 1 to ${MAX_FIRST}`);
    const now = this.clock.now();
    const until = new Date(now.getTime() + hours * HOUR_MS);
    const tenants = await this.tenants.listByIds(await this.usage.listNearQuota(now, MAX_TENANTS));
    const found = await Promise.all(
      tenants.map(async (tenant) => {
        const { key: tenantKey, name: tenantName, timeZone } = tenant;
        const quotas = await this.summaries.listQuotas(context, tenant, now.getTime());
        return quotas.map((quota) => ({ tenantKey, tenantName, timeZone, quota }));
      }),
    );
    return found
      .flat()
      .filter(({ quota: { runsOutAt } }) => runsOutAt !== null && runsOutAt <= until)
      .sort((a, b) => endOf(a) - endOf(b) || a.tenantKey.localeCompare(b.tenantKey))
      .slice(0, first);
  }
}

const endOf = ({ quota }: RunningOut) => quota.runsOutAt?.getTime() ?? 0;
