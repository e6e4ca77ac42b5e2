import { Button } from '@mantine/core';
import { useState } from 'react';
import type { OfferCreateInput, OfferFieldsFragment, OfferUpdateInput } from '../../../generated/graphql.js';
import { errorsByField, isConflict } from '../../../lib/graphql-request.js';
import { useOfferCreate, useOfferUpdate } from '../api/offer-save.js';
import { offerConfig } from '../offer-config.js';
import { draftOf, NEW_OFFER, type OfferDraft, type ReadDraft, readDraft } from '../offer-draft.js';
import { OfferForm } from './offer-form.js';

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

/** An offer that exists. When somebody else has changed it meanwhile, what is typed stays until theirs is asked for. */
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
