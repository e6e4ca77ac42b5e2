import { Alert, Button, Group } from '@mantine/core';
import { IconCircleCheck, IconClock, IconHourglass } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl';
import { capital, describeEffects } from '../../../lib/offer-text.js';
import { usePurchaseChange } from '../api/purchase-change.js';
import { latestOrderQuery } from '../api/purchases.js';

interface OrderOutcomeProps {
  tenantKey: string;
  offerKey: string;
  /** The limits that a purchase with this name has raised, as they are now; nothing while none is. */
  raisedBy: (label: string) => ReactNode;
  onClose: () => void;
}

/** What became of the order that the viewer comes back from paying. */
export function OrderOutcome({ tenantKey, offerKey, raisedBy, onClose }: OrderOutcomeProps) {
  const t = useTranslations('purchases');
  const { data: order } = useQuery(latestOrderQuery(tenantKey, offerKey));
  const giveUp = usePurchaseChange();
  if (!order) return null;
  const { label, status, checkoutUrl, effects, id } = order;
  const close = { withCloseButton: true, onClose, closeButtonLabel: t('close') };
  if (status === 'ACTIVE') {
    return (
      <Alert
        role="status"
        color="gate"
        icon={<IconCircleCheck size={18} aria-hidden />}
        title={t('outcomePaid', { label })}
        {...close}
      >
        {raisedBy(label) ?? `${capital(describeEffects(effects))}. ${t('outcomeApplying')}`}
      </Alert>
    );
  }
  if (status === 'PENDING') {
    return (
      <Alert
        role="status"
        color="ochre"
        icon={<IconClock size={18} aria-hidden />}
        title={t('outcomePending', { label })}
      >
        {checkoutUrl === null ? t('orderedByInvoice') : t('outcomePendingHint')}
        {checkoutUrl && (
          <Group gap={8} mt={10}>
            <Button component="a" href={new URL(checkoutUrl).pathname}>
              {t('payNow')}
            </Button>
            <Button
              variant="default"
              loading={giveUp.isPending}
              onClick={() =>
                giveUp.mutate({ kind: 'cancel', purchaseId: id, reason: null }, { onSuccess: onClose })
              }
            >
              {t('giveUp')}
            </Button>
          </Group>
        )}
      </Alert>
    );
  }
  const isHeld = status === 'HELD';
  return (
    <Alert
      role="status"
      color="ochre"
      icon={<IconHourglass size={18} aria-hidden />}
      title={t(isHeld ? 'outcomeHeld' : 'outcomeGone', { label })}
      {...close}
    >
      {t(isHeld ? 'outcomeHeldHint' : 'outcomeGoneHint')}
    </Alert>
  );
}
