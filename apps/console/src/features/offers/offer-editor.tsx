import { Button, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { GatedButton } from '../../components/buttons.js';
import { CreateModal } from '../../components/create-modal.js';
import type { OfferCreateInput, OfferFieldsFragment, OfferUpdateInput } from '../../generated/graphql.js';
import { errorsByField, isConflict } from '../../lib/graphql-request.js';
import { type OfferStep, offerStatusCall, useOfferCreate, useOfferStatus, useOfferUpdate } from './api.js';
import {
  draftOf,
  NEW_OFFER,
  type OfferDraft,
  offerConfig,
  type ReadDraft,
  readDraft,
} from './offer-draft.js';
import { OfferForm } from './offer-form.js';

const STEP_LABEL = { activate: 'Put on sale', archive: 'Archive' } as const;

const STEP_HINT = {
  activate: 'Customers see it in their portal immediately.',
  archive: 'It cannot be bought or restored. Existing purchases continue and renew.',
} as const;

/** Puts a draft on sale, and takes an offer from sale; each asks first. */
export function OfferActions({ offer }: { offer: OfferFieldsFragment }) {
  const [dialog, setDialog] = useState<OfferStep>();
  const change = useOfferStatus();
  const { form } = errorsByField(change.error, []);
  const close = () => {
    setDialog(undefined);
    change.reset();
  };
  const request = dialog && { step: dialog, offerKey: offer.key, expectedVersion: offer.version };
  const confirm = () => {
    if (!request) return;
    change.mutate(request, {
      onSuccess: () => {
        const message =
          request.step === 'activate' ? `“${offer.name}” is on sale` : `“${offer.name}” archived`;
        notifications.show({ message, color: 'gate' });
        close();
      },
    });
  };
  if (offer.status === 'ARCHIVED') return null;
  return (
    <>
      <GatedButton permission="offers:write" variant="default" onClick={() => setDialog('archive')}>
        Archive
      </GatedButton>
      {offer.status === 'DRAFT' && (
        <GatedButton permission="offers:write" onClick={() => setDialog('activate')}>
          Put on sale
        </GatedButton>
      )}
      {request && (
        <CreateModal
          opened
          title={
            { activate: `Put “${offer.name}” on sale?`, archive: `Archive “${offer.name}”?` }[request.step]
          }
          onClose={close}
          onSubmit={confirm}
          submitLabel={STEP_LABEL[request.step]}
          pending={change.isPending}
          problem={form}
          copy={{ call: offerStatusCall(request), config: configAfter(offer, request.step) }}
        >
          <Text size="sm">{STEP_HINT[request.step]}</Text>
        </CreateModal>
      )}
    </>
  );
}

function configAfter(offer: OfferFieldsFragment, step: OfferStep) {
  const draft = draftOf(offer);
  return offerConfig(draft, readDraft(draft), step === 'activate' ? 'active' : 'archived');
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
  const [reason, setReason] = useState('');
  const [tried, setTried] = useState(false);
  const create = useOfferCreate();
  const read = readDraft(draft);
  const { byField, form } = errorsByField(create.error, FIELDS);
  const input = createInput(draft, read, reason);
  const submit = () => {
    setTried(true);
    if (Object.keys(read.errors).length > 0) return;
    create.mutate(input, { onSuccess: () => onCreated(draft.key) });
  };
  return (
    <OfferForm
      isNew
      draft={draft}
      read={read}
      onChange={setDraft}
      errors={{ ...byField, ...(tried ? read.errors : {}) }}
      problem={form}
      pending={create.isPending}
      copy={{
        call: {
          mutation: 'offerCreate',
          inputType: 'OfferCreateInput',
          input,
          selection: 'offer { key }',
        },
        config: offerConfig(draft, read, 'draft'),
      }}
      reason={reason}
      onReason={setReason}
      onSubmit={submit}
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
  const [reason, setReason] = useState('');
  const [tried, setTried] = useState(false);
  const update = useOfferUpdate();
  const read = readDraft(draft);
  const { byField, form } = errorsByField(update.error, FIELDS);
  const takeTheirs = () => {
    setBase(offer);
    setDraft(draftOf(offer));
    update.reset();
  };
  const input = updateInput(base, draft, read, reason);
  const submit = () => {
    setTried(true);
    if (Object.keys(read.errors).length > 0) return;
    update.mutate(input, { onSuccess: onSaved });
  };
  return (
    <OfferForm
      isNew={false}
      draft={draft}
      read={read}
      onChange={setDraft}
      errors={{ ...byField, ...(tried ? read.errors : {}) }}
      problem={
        isConflict(update.error) ? (
          <>
            This offer was changed since you opened it.{' '}
            <Button variant="subtle" onClick={takeTheirs}>
              Load latest version
            </Button>
          </>
        ) : (
          form
        )
      }
      pending={update.isPending}
      copy={{
        call: {
          mutation: 'offerUpdate',
          inputType: 'OfferUpdateInput',
          input,
          selection: 'offer { key }',
        },
        config: offerConfig(draft, read, base.status),
      }}
      reason={reason}
      onReason={setReason}
      onSubmit={submit}
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
    reason: reason.trim() || null,
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
    reason: reason.trim() || null,
  };
}
