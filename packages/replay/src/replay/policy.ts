import type { TenantRecord } from '@tollgate/contracts';

/** A published policy: the catalogue's JSON text, and the record of every tenant. */
export interface ReplayPolicy {
  readonly revision: number;
  readonly catalogueText: string;
  readonly tenants: readonly TenantRecord[];
}
