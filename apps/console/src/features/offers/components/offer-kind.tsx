import { Badge } from '@mantine/core';
import { StateDot } from '../../../components/marks.js';
import type { OfferKind, OfferStatus } from '../../../generated/graphql.js';
import { ENTITLEMENT_SOURCE_TEXT } from '../../../lib/labels.js';

const OFFER_STATUS_TEXT = { ACTIVE: 'On sale', ARCHIVED: 'Archived', DRAFT: 'Draft' } as const;

const TONES = { DRAFT: 'quiet', ACTIVE: 'good', ARCHIVED: 'quiet' } as const;

/** Upgrade or top-up. */
export function OfferKindBadge({ kind }: { kind: OfferKind }) {
  return <Badge color={kind === 'UPGRADE' ? 'gate' : 'gray'}>{ENTITLEMENT_SOURCE_TEXT[kind]}</Badge>;
}

/** Whether it can be bought. */
export function OfferStatusDot({ status }: { status: OfferStatus }) {
  return <StateDot tone={TONES[status]}>{OFFER_STATUS_TEXT[status]}</StateDot>;
}
