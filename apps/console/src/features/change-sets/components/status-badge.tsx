import { Badge } from '@mantine/core';
import { useTranslations } from 'use-intl';
import type { ChangeSetStatus } from '../../../generated/graphql.js';

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
  const t = useTranslations('changeSets');
  return (
    <Badge color={COLORS[status]} variant={status === 'APPLIED' ? 'filled' : 'light'}>
      {t(`status${status}`)}
    </Badge>
  );
}
