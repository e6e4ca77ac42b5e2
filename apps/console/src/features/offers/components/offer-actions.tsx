import { Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { CreateModal } from '../../../components/create-modal.js';
import { GatedButton } from '../../../components/gated-button.js';
import type { OfferFieldsFragment } from '../../../generated/graphql.js';
import { errorsByField } from '../../../lib/user-errors.js';
import { type OfferStep, useOfferStatus } from '../api/offer-status.js';

/** Puts a draft on sale, and takes an offer from sale; each asks first. */
export function OfferActions({ offer }: { offer: OfferFieldsFragment }) {
  const t = useTranslations('offers');
  const [asking, setAsking] = useState<OfferStep>();
  const change = useOfferStatus();
  const { form } = errorsByField(change.error, []);
  const close = () => {
    setAsking(undefined);
    change.reset();
  };
  const confirm = () => {
    if (!asking) return;
    change.mutate(
      { step: asking, offerKey: offer.key, expectedVersion: offer.version },
      {
        onSuccess: () => {
          const message = t(asking === 'activate' ? 'activated' : 'archived', { name: offer.name });
          notifications.show({ message, color: 'gate' });
          close();
        },
      },
    );
  };
  if (offer.status === 'ARCHIVED') return null;
  return (
    <>
      <GatedButton permission="offers:write" variant="default" onClick={() => setAsking('archive')}>
        {t('archive')}
      </GatedButton>
      {offer.status === 'DRAFT' && (
        <GatedButton permission="offers:write" onClick={() => setAsking('activate')}>
          {t('activate')}
        </GatedButton>
      )}
      {asking && (
        <CreateModal
          opened
          title={t(`${asking}Title`, { name: offer.name })}
          onClose={close}
          onSubmit={confirm}
          submitLabel={t(asking)}
          pending={change.isPending}
          problem={form}
        >
          <Text size="sm">{t(`${asking}Hint`)}</Text>
        </CreateModal>
      )}
    </>
  );
}
