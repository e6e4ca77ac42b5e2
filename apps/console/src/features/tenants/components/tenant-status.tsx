import { type DotTone, StateDot } from '../../../components/marks.js';
import type { TenantStatus } from '../../../generated/graphql.js';

const TENANT_STATUS_TEXT = { ACTIVE: 'Active', ARCHIVED: 'Archived', SUSPENDED: 'Suspended' } as const;

const TONES: Readonly<Record<TenantStatus, DotTone>> = {
  ACTIVE: 'good',
  SUSPENDED: 'bad',
  ARCHIVED: 'quiet',
};

/** Whether a tenant is served, as dot and word. */
export function TenantStatusDot({ status }: { status: TenantStatus }) {
  return <StateDot tone={TONES[status]}>{TENANT_STATUS_TEXT[status]}</StateDot>;
}
