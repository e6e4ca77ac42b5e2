import { Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { CreateModal } from '../../../components/create-modal.js';
import { GatedButton } from '../../../components/gated-button.js';
import type { OfferFieldsFragment } from '../../../generated/graphql.js';
import { errorsByField } from '../../../lib/user-errors.js';
import { type OfferStep, offerStatusCall, useOfferStatus } from '../api/offer-status.js';
import { offerConfig } from '../offer-config.js';
import { draftOf, readDraft } from '../offer-draft.js';

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
  const asked = asking && { step: asking, offerKey: offer.key, expectedVersion: offer.version };
  const confirm = () => {
    if (!asked) return;
    change.mutate(asked, {
      onSuccess: () => {
        const message = t(asked.step === 'activate' ? 'activated' : 'archived', { name: offer.name });
        notifications.show({ message, color: 'gate' });
        close();
      },
    });
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
      {asked && (
        <CreateModal
          opened
          title={t(`${asked.step}Title`, { name: offer.name })}
          onClose={close}
          onSubmit={confirm}
          submitLabel={t(asked.step)}
          pending={change.isPending}
          problem={form}
          copy={{ call: offerStatusCall(asked), config: configAfter(offer, asked.step) }}
        >
          <Text size="sm">{t(`${asked.step}Hint`)}</Text>
        </CreateModal>
      )}
    </>
  );
}

function configAfter(offer: OfferFieldsFragment, step: OfferStep) {
  const draft = draftOf(offer);
  return offerConfig(draft, readDraft(draft), step === 'activate' ? 'active' : 'archived');
}
