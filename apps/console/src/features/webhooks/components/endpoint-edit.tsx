import { Button, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { GatedButton } from '../../../components/buttons.js';
import { CreateModal } from '../../../components/create-modal.js';
import { useEditForm } from '../../../lib/form.js';
import { errorsByField, isConflict } from '../../../lib/graphql-request.js';
import { endpointUpdateCall, useEndpointUpdate } from '../api/endpoint-actions.js';
import type { EndpointInList } from '../api/endpoints.js';
import { ENDPOINT_FIELDS, type EndpointDraft, EndpointFields } from './endpoint-fields.js';

const draftOf = ({ url, description, events }: EndpointInList): EndpointDraft => ({
  url,
  description,
  events,
});

/** Opens an endpoint's form. */
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

/** An endpoint's address, purpose and events. When somebody else has changed it meanwhile, both are there to choose from. */
function EndpointEdit({ endpoint, onClose }: EndpointEditProps) {
  const [base, setBase] = useState(endpoint);
  const { values, set, changed, unchanged } = useEditForm(draftOf(base));
  const update = useEndpointUpdate();
  const { byField, form } = errorsByField(update.error, ENDPOINT_FIELDS);
  const input = { id: base.id, expectedVersion: base.version, ...changed };
  const goOn = (theirs?: EndpointDraft) => {
    setBase(endpoint);
    if (theirs) set(theirs);
    update.reset();
  };
  const submit = () => {
    if (unchanged) return onClose();
    update.mutate(input, {
      onSuccess: () => {
        notifications.show({ message: 'Endpoint updated', color: 'gate' });
        onClose();
      },
    });
  };
  return (
    <CreateModal
      title="Edit endpoint"
      opened
      onClose={onClose}
      onSubmit={submit}
      submitLabel="Save"
      pending={update.isPending}
      problem={isConflict(update.error) ? <Conflict theirs={draftOf(endpoint)} onChoice={goOn} /> : form}
      copy={{ call: endpointUpdateCall(input) }}
    >
      <EndpointFields values={values} onChange={set} errors={byField} />
    </CreateModal>
  );
}

interface ConflictProps {
  theirs: EndpointDraft;
  /** With what they wrote, where that is taken. */
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
