import type { AuditFacts } from './audit-trail.js';

/** An entry of the audit trail, as far as taking it back needs it. */
export interface RecordedEntry extends Pick<AuditFacts, 'action' | 'entity' | 'entityId'> {
  tenantKey: string | null;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
}

/** What the command of a change in one tenant is given to take it back: the tenant; null where it was in none. */
export async function tenantInputOf({ tenantKey }: RecordedEntry): Promise<{ tenantKey: string } | null> {
  return tenantKey === null ? null : { tenantKey };
}
