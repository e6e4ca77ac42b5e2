import type { AuditFacts } from './audit-trail.js';

/** An entry of the audit trail, as far as taking it back needs it. */
export interface RecordedEntry extends Pick<AuditFacts, 'action' | 'entity' | 'entityId'> {
  tenantKey: string | null;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
}
