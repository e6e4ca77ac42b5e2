import type { Adjustment, Catalogue, TenantRecord } from '@tollgate/contracts';

/** What decides a tenant's limits, beside the catalogue. Many tenants stand alike. */
export interface Standing {
  status: TenantRecord['status'];
  tier: string;
  /** Null: the tier's current version. */
  pinnedVersion: number | null;
  adjustments: readonly Adjustment[];
}

/** Equal for tenants who stand alike. */
export function standingKey({ status, tier, pinnedVersion, adjustments }: Standing): string {
  return JSON.stringify([status, tier, pinnedVersion, adjustments]);
}

export function standingOf({ status, tier, pinnedVersion, adjustments, adjusted }: TenantRecord): Standing {
  const inForce = (adjusted ?? []).flatMap((place) => adjustments?.[place] ?? []);
  return { status, tier, pinnedVersion, adjustments: inForce };
}

/** Policy at one moment, as far as a change reaches. */
export interface PolicyView {
  catalogue: Pick<Catalogue, 'apis' | 'tiers'>;
  /** Standings by their key. */
  standings: Map<string, Standing>;
  /** Key of the standing of each tenant that is published by itself. */
  tenants: Map<string, string>;
  /** All others, counted by the key of their standing; none unless the catalogue changes. */
  others: Map<string, number>;
}
