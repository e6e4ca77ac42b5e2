import { useTranslations } from 'use-intl';
import { type DotTone, StateDot } from '../../../components/state-dot.js';
import type { QuotaRequestStatus } from '../../../generated/graphql.js';

const TONES: Readonly<Record<QuotaRequestStatus, DotTone>> = {
  OPEN: 'warn',
  COUNTERED: 'warn',
  APPROVED: 'good',
  DECLINED: 'quiet',
  WITHDRAWN: 'quiet',
};

/** What became of a request, in a word. */
export function RequestStatusDot({ status }: { status: QuotaRequestStatus }) {
  const t = useTranslations('quotaRequests');
  return <StateDot tone={TONES[status]}>{t(status)}</StateDot>;
}
