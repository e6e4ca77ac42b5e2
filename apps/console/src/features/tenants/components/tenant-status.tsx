import { useTranslations } from 'use-intl';
import { type DotTone, StateDot } from '../../../components/state-dot.js';
import type { TenantStatus } from '../../../generated/graphql.js';

const TONES: Readonly<Record<TenantStatus, DotTone>> = {
  ACTIVE: 'good',
  SUSPENDED: 'bad',
  ARCHIVED: 'quiet',
};

/** Whether a tenant is served, as dot and word. */
export function TenantStatusDot({ status }: { status: TenantStatus }) {
  const t = useTranslations('tenants.statuses');
  return <StateDot tone={TONES[status]}>{t(status)}</StateDot>;
}
