import { Injectable } from '@nestjs/common';
import type { Connection } from '../../../../platform/graphql/connection.js';
import { type Page, toConnection } from '../../../../platform/graphql/paging.js';
import { TenantsRepository } from '../../../customers/index.js';
import type { LimitCrossing, LimitCrossingsArgs } from './usage.graphql.js';
import { UsageRepository } from './usage.repository.js';
import { parseFilter } from './usage.service.js';

/** When a crossing was, and which. */
type Place = [at: number, id: string];

/** Thresholds that tenants have reached. */
@Injectable()
export class LimitCrossingsService {
  constructor(
    private readonly usage: UsageRepository,
    private readonly tenants: TenantsRepository,
  ) {}

  /** Of a tenant that is not there: none. */
  async list(
    { tenantKey, apiKey }: LimitCrossingsArgs,
    page: Page<Place>,
    encode: (place: Place) => string,
  ): Promise<Connection<LimitCrossing>> {
    const api = parseFilter({ apiKey }).apiKey ?? undefined;
    const tenant = await this.tenants.findByKey(tenantKey);
    const rows = tenant === null ? [] : await this.usage.listCrossings(tenant.id, api, page);
    const nodes = rows.map(({ api: apiKey, used, capacity, ...row }) => ({
      ...row,
      apiKey,
      used: Number(used),
      capacity: Number(capacity),
    }));
    return toConnection(
      nodes,
      page,
      ({ at, id }) => encode([at.getTime(), id]),
      async () => (tenant === null ? 0 : this.usage.countCrossings(tenant.id, api)),
    );
  }
}
