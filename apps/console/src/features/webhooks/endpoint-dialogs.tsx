import { Button, TagsInput, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { GatedButton } from '../../components/buttons.js';
import { SecretModal } from '../../components/copy.js';
import { CreateModal } from '../../components/create-modal.js';
import { bindFields, useEditForm, useFields } from '../../lib/form.js';
import { isConflict, notifyDone } from '../../lib/graphql-request.js';
import { useMutationDialog } from '../../lib/mutation.js';
import { ENDPOINTS, EndpointCreateDocument, type EndpointInList, EndpointUpdateDocument } from './api.js';

/** Event types to suggest while typing; the server validates. */
export const EVENT_KINDS = [
  'api_key.expiring',
  'boost.ended',
  'guard.reverted',
  'guard.undecided',
  'limit.near',
  'limit.reached',
  'node.stale',
  'override.expired',
  'purchase.disputed',
  'purchase.expired',
  'purchase.needs_review',
  'purchase.paid',
  'purchase.payment_failed',
  'purchase.refund_failed',
  'purchase.refunded',
  'purchase.renewal_failed',
  'purchase.renewed',
  'purchase.stop_failed',
  'quota_request.created',
  'subscription.moved',
  'topup.expiring',
] as const;

export function EndpointSecret({ secret, onClose }: { secret: string | null; onClose: () => void }) {
  return (
    <SecretModal
      title="Copy the secret now"
      hint="You won’t be able to see this again. Receivers use it to verify signatures."
      secret={secret}
      copyLabel="Copy secret"
      doneLabel="I have saved it"
      onClose={onClose}
    />
  );
}

export interface EndpointDraft {
  url: string;
  description: string;
  events: string[];
}

/** Field names in the server's user errors. */
export const ENDPOINT_FIELDS = ['url', 'description', 'events'] as const satisfies Array<keyof EndpointDraft>;

interface EndpointFieldsProps {
  values: EndpointDraft;
  onChange: (part: Partial<EndpointDraft>) => void;
  errors: Record<string, string>;
}

export function EndpointFields({ values, onChange, errors }: EndpointFieldsProps) {
  const bind = bindFields(values, onChange, errors);
  return (
    <>
      <TextInput
        label="URL"
        description="A public https:// address."
        required
        data-autofocus
        type="url"
        {...bind('url')}
      />
      <TextInput label="Description" {...bind('description')} />
      <TagsInput
        label="Events"
        description="Event types such as purchase.paid. Leave empty for all."
        data={[...EVENT_KINDS]}
        clearable
        {...bind('events')}
      />
    </>
  );
}

interface EndpointCreateProps {
  onClose: () => void;
  onCreated: (secret: string | null) => void;
}

export function EndpointCreate({ onClose, onCreated }: EndpointCreateProps) {
  const { errors, dialog } = useMutationDialog(EndpointCreateDocument, ENDPOINT_FIELDS, ENDPOINTS);
  const { values, set } = useFields<EndpointDraft>(errors, { url: '', description: '', events: [] });
  return (
    <CreateModal
      title="Add endpoint"
      submitLabel="Add endpoint"
      onClose={onClose}
      {...dialog(values, ({ secret }) => onCreated(secret))}
    >
      <EndpointFields values={values} onChange={set} errors={errors} />
    </CreateModal>
  );
}

const draftOf = ({ url, description, events }: EndpointInList): EndpointDraft => ({
  url,
  description,
  events,
});

export function EndpointEditButton({ endpoint }: { endpoint: EndpointInList }) {
  const [opened, setOpened] = useState(false);
  return (
    <>
      <GatedButton permission="webhooks:write" variant="default" onClick={() => setOpened(true)}>
        Edit
      </GatedButton>
      {opened && <EndpointEdit endpoint={endpoint} onClose={() => setOpened(false)} />}
    </>
  );
}

interface EndpointEditProps {
  endpoint: EndpointInList;
  onClose: () => void;
}

/** Edits an endpoint. After a conflicting change the user chooses between both versions. */
function EndpointEdit({ endpoint, onClose }: EndpointEditProps) {
  const [base, setBase] = useState(endpoint);
  const { values, set, changed, unchanged } = useEditForm(draftOf(base));
  const { mutation, errors, dialog } = useMutationDialog(EndpointUpdateDocument, ENDPOINT_FIELDS, ENDPOINTS);
  const input = { id: base.id, expectedVersion: base.version, ...changed };
  const goOn = (theirs?: EndpointDraft) => {
    setBase(endpoint);
    if (theirs) set(theirs);
    mutation.reset();
  };
  const save = dialog(input, () => {
    notifyDone('Endpoint updated');
    onClose();
  });
  return (
    <CreateModal
      title="Edit endpoint"
      submitLabel="Save"
      onClose={onClose}
      {...save}
      {...(unchanged && { onSubmit: onClose })}
      {...(isConflict(mutation.error) && {
        problem: <Conflict theirs={draftOf(endpoint)} onChoice={goOn} />,
      })}
    >
      <EndpointFields values={values} onChange={set} errors={errors} />
    </CreateModal>
  );
}

interface ConflictProps {
  theirs: EndpointDraft;
  /** Called with the current values if the user keeps them. */
  onChoice: (theirs?: EndpointDraft) => void;
}

function Conflict({ theirs, onChoice }: ConflictProps) {
  const { url, description, events } = theirs;
  return (
    <>
      <Text size="sm">This endpoint was changed since you opened it. Current values:</Text>
      <Text size="sm" my={6} style={{ overflowWrap: 'anywhere' }}>
        {[url, description, events.join(', ') || 'all'].filter(Boolean).join(' · ')}
      </Text>
      <Button variant="subtle" size="compact-sm" onClick={() => onChoice(theirs)}>
        Use current values
      </Button>
      <Button variant="subtle" size="compact-sm" onClick={() => onChoice()}>
        Keep my changes
      </Button>
    </>
  );
}
