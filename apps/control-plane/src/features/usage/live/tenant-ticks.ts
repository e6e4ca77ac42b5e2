import type { UsageFrame } from '@tollgate/contracts';
import { isRefused } from './live-window.js';
import type { ApiTick, UsageTick } from './usage-tick.graphql.js';

/** Sums one tenant's decisions between two ticks. */
export class TenantTicks {
  private apis = new Map<string, ApiTick>();

  constructor(private readonly tenantKey: string) {}

  add({ rows }: UsageFrame): void {
    for (const { tenant, api, outcome, count } of rows) {
      if (tenant !== this.tenantKey) continue;
      const sums = this.apis.get(api) ?? { apiKey: api, allowed: 0, refused: 0 };
      this.apis.set(api, sums);
      if (isRefused(outcome)) sums.refused += count;
      else sums.allowed += count;
    }
  }

  /** What came since the last call. */
  take(at: Date): UsageTick {
    const apis = [...this.apis.values()].sort((a, b) => a.apiKey.localeCompare(b.apiKey));
    this.apis = new Map();
    const sum = (field: 'allowed' | 'refused') => apis.reduce((total, api) => total + api[field], 0);
    return { at, allowed: sum('allowed'), refused: sum('refused'), apis };
  }
}
