import { Alert, Button, Group } from '@mantine/core';
import { IconCircleCheck, IconClock, IconHourglass } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { capital, describeEffects } from '../../../lib/effect-text.js';
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
  const { data: order } = useQuery(latestOrderQuery(tenantKey, offerKey));
  const giveUp = usePurchaseChange();
  if (!order) return null;
  const { label, status, checkoutUrl, effects, id } = order;
  const close = { withCloseButton: true, onClose, closeButtonLabel: 'Close' };
  if (status === 'ACTIVE') {
    return (
      <Alert
        role="status"
        color="gate"
        icon={<IconCircleCheck size={18} aria-hidden />}
        title={`Payment received. ${label} is active.`}
        {...close}
      >
        {raisedBy(label) ?? `${capital(describeEffects(effects))}. Applying the new limits…`}
      </Alert>
    );
  }
  if (status === 'PENDING') {
    return (
      <Alert
        role="status"
        color="ochre"
        icon={<IconClock size={18} aria-hidden />}
        title={`${label} is ordered but not paid`}
      >
        {checkoutUrl === null
          ? 'Ordered. Find the invoice in your receipts. Limits rise when the payment arrives.'
          : 'You are not charged until you pay. The payment page stays open until the order expires.'}
        {checkoutUrl && (
          <Group gap={8} mt={10}>
            <Button component="a" href={new URL(checkoutUrl).pathname}>
              Go to payment
            </Button>
            <Button
              variant="default"
              loading={giveUp.isPending}
              onClick={() =>
                giveUp.mutate({ kind: 'cancel', purchaseId: id, reason: null }, { onSuccess: onClose })
              }
            >
              Cancel order
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
      title={
        isHeld ? `Your payment for ${label} is under review` : `The order of ${label} expired before payment`
      }
      {...close}
    >
      {isHeld
        ? 'It does not match the order. We will email you.'
        : 'You were not charged. You can buy it again.'}
    </Alert>
  );
}
