import { Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { GatedButton } from '../../../components/buttons.js';
import { CreateModal } from '../../../components/create-modal.js';
import type { OfferFieldsFragment } from '../../../generated/graphql.js';
import { errorsByField } from '../../../lib/graphql-request.js';
import { type OfferStep, offerStatusCall, useOfferStatus } from '../api/offer-status.js';
import { offerConfig } from '../offer-config.js';
import { draftOf, readDraft } from '../offer-draft.js';

const STEP_LABEL = { activate: 'Put on sale', archive: 'Archive' } as const;

const STEP_HINT = {
  activate: 'Customers see it in their portal immediately.',
  archive: 'It cannot be bought or restored. Existing purchases continue and renew.',
} as const;

/** Puts a draft on sale, and takes an offer from sale; each asks first. */
export function OfferActions({ offer }: { offer: OfferFieldsFragment }) {
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
        const message = asked.step === 'activate' ? `“${offer.name}” is on sale` : `“${offer.name}” archived`;
        notifications.show({ message, color: 'gate' });
        close();
      },
    });
  };
  if (offer.status === 'ARCHIVED') return null;
  return (
    <>
      <GatedButton permission="offers:write" variant="default" onClick={() => setAsking('archive')}>
        Archive
      </GatedButton>
      {offer.status === 'DRAFT' && (
        <GatedButton permission="offers:write" onClick={() => setAsking('activate')}>
          Put on sale
        </GatedButton>
      )}
      {asked && (
        <CreateModal
          opened
          title={
            { activate: `Put “${offer.name}” on sale?`, archive: `Archive “${offer.name}”?` }[asked.step]
          }
          onClose={close}
          onSubmit={confirm}
          submitLabel={STEP_LABEL[asked.step]}
          pending={change.isPending}
          problem={form}
          copy={{ call: offerStatusCall(asked), config: configAfter(offer, asked.step) }}
        >
          <Text size="sm">{STEP_HINT[asked.step]}</Text>
        </CreateModal>
      )}
    </>
  );
}

function configAfter(offer: OfferFieldsFragment, step: OfferStep) {
  const draft = draftOf(offer);
  return offerConfig(draft, readDraft(draft), step === 'activate' ? 'active' : 'archived');
}
