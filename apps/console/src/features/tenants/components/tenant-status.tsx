import { StateDot } from '../../../components/state-dot.js';
import type { TenantStatus } from '../../../generated/graphql.js';

const SHOWN = {
  ACTIVE: ['good', 'Active'],
  SUSPENDED: ['bad', 'Suspended'],
  ARCHIVED: ['quiet', 'Archived'],
} as const;

/** Whether a tenant is served, as dot and word. */
export function TenantStatusDot({ status }: { status: TenantStatus }) {
  const [tone, text] = SHOWN[status];
  return <StateDot tone={tone}>{text}</StateDot>;
}
