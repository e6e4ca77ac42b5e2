import { type DotTone, StateDot } from '../../../components/marks.js';
import type { QuotaRequestStatus } from '../../../generated/graphql.js';

const QUOTA_REQUEST_STATUS_TEXT = {
  APPROVED: 'Approved',
  COUNTERED: 'Countered',
  DECLINED: 'Declined',
  OPEN: 'Open',
  WITHDRAWN: 'Withdrawn',
} as const;

const TONES: Readonly<Record<QuotaRequestStatus, DotTone>> = {
  OPEN: 'warn',
  COUNTERED: 'warn',
  APPROVED: 'good',
  DECLINED: 'quiet',
  WITHDRAWN: 'quiet',
};

/** What became of a request, in a word. */
export function RequestStatusDot({ status }: { status: QuotaRequestStatus }) {
  return <StateDot tone={TONES[status]}>{QUOTA_REQUEST_STATUS_TEXT[status]}</StateDot>;
}
