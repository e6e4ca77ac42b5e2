import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import { GatedButton } from '../../components/buttons.js';
import { CreateModal } from '../../components/create-modal.js';
import type { OfferCreateInput, OfferFieldsFragment, OfferUpdateInput } from '../../generated/graphql.js';
import { describePrice } from '../../lib/effect-text.js';
import { isConflict, notifyDone } from '../../lib/graphql-request.js';
import { useMutationDialog } from '../../lib/mutation.js';
import { OFFER_STEPS, OfferCreateDocument, OfferUpdateDocument, offersKey } from './api.js';
import {
  draftOf,
  NEW_OFFER,
  type OfferDraft,
  offerConfig,
  type ReadDraft,
  readDraft,
} from './offer-draft.js';
import { OfferForm } from './offer-form.js';

type OfferStep = keyof typeof OFFER_STEPS;

export function OfferActions({ offer }: { offer: OfferFieldsFragment }) {
  const [step, setStep] = useState<OfferStep>();
  if (offer.status === 'ARCHIVED') return null;
  return (
    <>
      <GatedButton permission="offers:write" variant="default" onClick={() => setStep('archive')}>
        Archive
      </GatedButton>
      {offer.status === 'DRAFT' && (
        <GatedButton permission="offers:write" onClick={() => setStep('activate')}>
          Put on sale
        </GatedButton>
      )}
      {!offer.isPriceConfirmed && (
        <GatedButton permission="offers:write" onClick={() => setStep('confirmPrice')}>
          Confirm price
        </GatedButton>
      )}
      {step && <StepDialog offer={offer} step={step} onClose={() => setStep(undefined)} />}
    </>
  );
}

interface StepDialogProps {
  offer: OfferFieldsFragment;
  step: OfferStep;
  onClose: () => void;
}

function StepDialog({ offer, step, onClose }: StepDialogProps) {
  const { dialog } = useMutationDialog(OFFER_STEPS[step], [], offersKey);
  const { title, submitLabel, hint, done, status } = {
    activate: {
      title: `Put “${offer.name}” on sale?`,
      submitLabel: 'Put on sale',
      hint: 'Customers see it in their portal immediately.',
      done: `“${offer.name}” is on sale`,
      status: 'active',
    },
    archive: {
      title: `Archive “${offer.name}”?`,
      submitLabel: 'Archive',
      hint: 'It cannot be bought or restored. Existing purchases continue and renew.',
      done: `“${offer.name}” archived`,
      status: 'archived',
    },
    confirmPrice: {
      title: `Is ${describePrice(offer.priceMinor, offer.currency, offer.interval)} the price of “${offer.name}”?`,
      submitLabel: 'Confirm price',
      hint: 'Customers pay this amount. If it is wrong, cancel and change the price.',
      done: `Price of “${offer.name}” confirmed`,
      status: offer.status.toLowerCase(),
    },
  }[step];
  const draft = draftOf(offer);
  const onDone = () => {
    notifyDone(done);
    onClose();
  };
  const input = { offerKey: offer.key, expectedVersion: offer.version };
  return (
    <CreateModal
      title={title}
      submitLabel={submitLabel}
      onClose={onClose}
      {...dialog(input, onDone, offerConfig(draft, readDraft(draft), status))}
    >
      <Text size="sm">{hint}</Text>
    </CreateModal>
  );
}

const FIELDS = [
  ...['name', 'key', 'description', 'priceMinor', 'currency', 'interval', 'graceDays', 'validDays'],
  ...['effects', 'tierKeys', 'maxQuantity', 'stock'],
];

interface OfferCreatorProps {
  onCancel: () => void;
  onCreated: (key: string) => void;
}

/** A new offer; it is a draft until it is put on sale. */
export function OfferCreator({ onCancel, onCreated }: OfferCreatorProps) {
  const [draft, setDraft] = useState(NEW_OFFER);
  const { errors, dialog } = useMutationDialog(OfferCreateDocument, FIELDS, offersKey);
  return (
    <OfferForm
      isNew
      draft={draft}
      onChange={setDraft}
      errors={errors}
      save={(read, reason) =>
        dialog(
          createInput(draft, read, reason),
          () => onCreated(draft.key),
          offerConfig(draft, read, 'draft'),
        )
      }
      onCancel={onCancel}
    />
  );
}

interface OfferEditorProps {
  offer: OfferFieldsFragment;
  onCancel: () => void;
  onSaved: () => void;
}

/** Edits an offer. After a conflicting change the typed values stay until the user loads the latest version. */
export function OfferEditor({ offer, onCancel, onSaved }: OfferEditorProps) {
  const [base, setBase] = useState(offer);
  const [draft, setDraft] = useState(() => draftOf(offer));
  const { mutation, errors, dialog } = useMutationDialog(OfferUpdateDocument, FIELDS, offersKey);
  const loadLatest = () => {
    setBase(offer);
    setDraft(draftOf(offer));
    mutation.reset();
  };
  return (
    <OfferForm
      isNew={false}
      draft={draft}
      onChange={setDraft}
      errors={errors}
      save={(read, reason) => ({
        ...dialog(updateInput(base, draft, read, reason), onSaved, offerConfig(draft, read, base.status)),
        ...(isConflict(mutation.error) && {
          problem: (
            <>
              This offer was changed since you opened it.{' '}
              <Button variant="subtle" onClick={loadLatest}>
                Load latest version
              </Button>
            </>
          ),
        }),
      })}
      onCancel={onCancel}
    />
  );
}

function createInput(draft: OfferDraft, read: ReadDraft, reason: string): OfferCreateInput {
  const { kind, name, key, description, currency, tierKeys, carryOver } = draft;
  const { priceMinor, interval = null, validDays = null, maxQuantity } = read.terms;
  return {
    ...{ kind, name, key, description, currency, tierKeys, carryOver },
    ...{ priceMinor, interval, validDays, maxQuantity, effects: read.effects, stock: read.stock },
    graceDays: kind === 'UPGRADE' ? read.graceDays : null,
    reason: reason || null,
  };
}

function updateInput(
  base: OfferFieldsFragment,
  { name, description, tierKeys, kind }: OfferDraft,
  { terms, effects, graceDays, stock }: ReadDraft,
  reason: string,
): OfferUpdateInput {
  const { priceMinor, maxQuantity, validDays = null } = terms;
  return {
    ...{ offerKey: base.key, expectedVersion: base.version, name, description, tierKeys },
    ...{ priceMinor, maxQuantity, effects },
    ...(kind === 'UPGRADE' ? { graceDays } : { validDays }),
    ...(stock === null ? { isUnlimited: true } : { stock }),
    reason: reason || null,
  };
}
