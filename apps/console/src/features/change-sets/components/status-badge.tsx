import { Badge } from '@mantine/core';
import type { ChangeSetStatus } from '../../../generated/graphql.js';

const STATUS_TEXT = {
  APPLIED: 'Applied',
  APPROVED: 'Approved',
  CANCELLED: 'Canceled',
  DRAFT: 'Draft',
  FAILED: 'Failed',
  REJECTED: 'Rejected',
  SCHEDULED: 'Scheduled',
  SUBMITTED: 'Pending approval',
} as const;

const COLORS: Record<ChangeSetStatus, string> = {
  DRAFT: 'gray',
  SUBMITTED: 'ochre',
  APPROVED: 'gate',
  SCHEDULED: 'gate',
  APPLIED: 'gate',
  FAILED: 'ember',
  REJECTED: 'ember',
  CANCELLED: 'gray',
};

/** How far a change set has come. */
export function StatusBadge({ status }: { status: ChangeSetStatus }) {
  return (
    <Badge color={COLORS[status]} variant={status === 'APPLIED' ? 'filled' : 'light'}>
      {STATUS_TEXT[status]}
    </Badge>
  );
}
