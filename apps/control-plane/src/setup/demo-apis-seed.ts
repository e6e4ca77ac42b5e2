import { Injectable } from '@nestjs/common';
import {
  ApisService,
  DefaultLimitsRepository,
  DefaultLimitsService,
  PoolsService,
} from '../features/catalogue/index.js';
import { DEMO_CALLER, DEMO_REASON, getValue } from './demo-change.js';
import type { DemoData } from './demo-data.js';

/** Creates the demo's APIs with their operations, pools and default limits, as far as they are missing. */
@Injectable()
export class DemoApisSeed {
  constructor(
    private readonly apis: ApisService,
    private readonly pools: PoolsService,
    private readonly defaults: DefaultLimitsService,
    private readonly defaultRows: DefaultLimitsRepository,
  ) {}

  async run({ operations, pools, defaultLimits, ...input }: DemoData['apis'][number]): Promise<void> {
    const reason = DEMO_REASON;
    const api =
      (await this.apis.findByKey(input.key)) ??
      getValue(await this.apis.create(DEMO_CALLER, { ...input, reason }));
    let { version } = api;
    const presentOperations = (await this.apis.listOperations([api.id])).get(api.id) ?? [];
    for (const operation of operations) {
      if (presentOperations.some(({ name }) => name === operation.name)) continue;
      const change = { apiKey: input.key, ...operation, expectedVersion: version, reason };
      version = getValue(await this.apis.createOperation(DEMO_CALLER, change)).version;
    }
    const presentPools = (await this.pools.list([api.id])).get(api.id) ?? [];
    for (const pool of pools) {
      if (presentPools.some(({ name }) => name === pool.name)) continue;
      const change = { apiKey: input.key, ...pool, expectedVersion: version, reason };
      version = getValue(await this.pools.create(DEMO_CALLER, change)).version;
    }
    const isLimited = (await this.defaultRows.list([api.id])).has(api.id);
    if (isLimited || defaultLimits.length === 0) return;
    const change = { apiKey: input.key, limits: defaultLimits, expectedVersion: version, reason };
    getValue(await this.defaults.set(DEMO_CALLER, change));
  }
}
