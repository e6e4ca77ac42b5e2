import { Badge } from '@mantine/core';
import { useTranslations } from 'use-intl';
import { StateDot } from '../../../components/state-dot.js';
import type { OfferKind, OfferStatus } from '../../../generated/graphql.js';

const TONES = { DRAFT: 'quiet', ACTIVE: 'good', ARCHIVED: 'quiet' } as const;

/** Upgrade or top-up. */
export function OfferKindBadge({ kind }: { kind: OfferKind }) {
  const t = useTranslations('offers');
  return <Badge color={kind === 'UPGRADE' ? 'gate' : 'gray'}>{t(kind)}</Badge>;
}

/** Whether it can be bought. */
export function OfferStatusDot({ status }: { status: OfferStatus }) {
  const t = useTranslations('offers');
  return <StateDot tone={TONES[status]}>{t(status)}</StateDot>;
}
