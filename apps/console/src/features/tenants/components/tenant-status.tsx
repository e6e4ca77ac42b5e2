import { StateDot } from '../../../components/state-dot.js';
import type { TenantStatus } from '../../../generated/graphql.js';

/** Active or suspended, as dot and word. */
export function TenantStatusDot({ status }: { status: TenantStatus }) {
  return status === 'ACTIVE' ? (
    <StateDot tone="good">Active</StateDot>
  ) : (
    <StateDot tone="bad">Suspended</StateDot>
  );
}
