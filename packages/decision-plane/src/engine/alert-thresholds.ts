import type { AlertRecord, LimitPolicy, TenantRecord } from '@tollgate/contracts';

/** Told whatever a tenant has set: there is nothing left then. */
const FULL = 100;

/** At which parts of a limit, percent, rising, a tenant is told of its use. */
export class AlertThresholds {
  /** Of records with settings of their own: by API and limit. */
  private readonly own = new WeakMap<TenantRecord, Map<string, readonly number[]>>();

  /** @param usual for whoever has set nothing, rising */
  constructor(private readonly usual: readonly number[]) {}

  /** What the tenant has set for the limit, else for its API, else for all; else the usual. */
  of(tenant: TenantRecord, { api, name }: Pick<LimitPolicy, 'api' | 'name'>): readonly number[] {
    const { alerts } = tenant;
    if (alerts === undefined) return this.usual;
    const known = this.own.get(tenant) ?? new Map<string, readonly number[]>();
    this.own.set(tenant, known);
    const limit = `${api}/${name}`;
    let thresholds = known.get(limit);
    if (thresholds === undefined) {
      thresholds = thresholdsOf(alerts, api, name) ?? this.usual;
      known.set(limit, thresholds);
    }
    return thresholds;
  }
}

function thresholdsOf(alerts: readonly AlertRecord[], api: string, name: string): number[] | undefined {
  const setting =
    alerts.find((alert) => alert.api === api && alert.limit === name) ??
    alerts.find((alert) => alert.api === api && alert.limit === undefined) ??
    alerts.find((alert) => alert.api === undefined);
  return setting && [...new Set([...setting.percents, FULL])].sort((a, b) => a - b);
}
