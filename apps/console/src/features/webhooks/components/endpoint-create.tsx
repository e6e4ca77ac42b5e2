import { useState } from 'react';
import { CreateModal } from '../../../components/create-modal.js';
import { errorsByField } from '../../../lib/graphql-request.js';
import { endpointCreateCall, useEndpointCreate } from '../api/endpoints.js';
import { ENDPOINT_FIELDS, type EndpointDraft, EndpointFields } from './endpoint-fields.js';

interface EndpointCreateProps {
  onClose: () => void;
  onCreated: (secret: string) => void;
}

/** Adds an endpoint of the operators. */
export function EndpointCreate({ onClose, onCreated }: EndpointCreateProps) {
  const [values, setValues] = useState<EndpointDraft>({ url: '', description: '', events: [] });
  const create = useEndpointCreate();
  const { byField, form } = errorsByField(create.error, ENDPOINT_FIELDS);
  return (
    <CreateModal
      title="Add endpoint"
      opened
      onClose={onClose}
      onSubmit={() => create.mutate(values, { onSuccess: onCreated })}
      submitLabel="Add endpoint"
      pending={create.isPending}
      problem={form}
      copy={{ call: endpointCreateCall(values) }}
    >
      <EndpointFields
        values={values}
        onChange={(part) => setValues({ ...values, ...part })}
        errors={byField}
      />
    </CreateModal>
  );
}
