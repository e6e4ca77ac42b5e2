import { Select, Textarea, TextInput } from '@mantine/core';
import { ChangeReview } from '../../../components/change-review.js';
import type { Priority } from '../../../generated/graphql.js';
import { PRIORITY_TEXT } from '../../../lib/labels.js';
import { parseCount } from '../../../lib/rate.js';
import { useForm } from '../../../lib/use-form.js';
import type { ApiDetail, OperationDetail } from '../api/api.js';
import { useApiChanges } from '../api/api-change.js';
import type { ApiFormProps } from './review-props.js';

interface OperationFormProps extends ApiFormProps {
  api: Pick<ApiDetail, 'key' | 'name' | 'version'>;
  /** The one to change; left out: a new one. */
  operation?: OperationDetail;
  /** A new one is to be called so. */
  suggestedName?: string;
}

const PRIORITIES: readonly Priority[] = ['CRITICAL', 'NORMAL', 'BACKGROUND'];

/** Adds an operation to an API, or changes what one costs and when it is pushed back. */
export function OperationForm(props: OperationFormProps) {
  const { api, operation, suggestedName = '', onClose, onDone, aside } = props;
  const { operationCreate, operationUpdate } = useApiChanges();
  const { values, set, byField, told } = useForm({
    name: operation?.name ?? suggestedName,
    description: operation?.description ?? '',
    cost: String(operation?.cost ?? 1),
    priority: operation?.priority ?? ('NORMAL' as Priority),
  });
  const cost = parseCount(values.cost);
  const { name, description, priority } = values;
  const input = {
    ...{ apiKey: api.key, expectedVersion: api.version, name, description, priority },
    ...(cost.ok ? { cost: cost.value } : {}),
  };
  const call = operation
    ? { mutation: 'operationUpdate', inputType: 'OperationUpdateInput', input }
    : { mutation: 'operationCreate', inputType: 'OperationCreateInput', input, selection: '' };
  const send = async (terms: { reason: string | null; dryRun: boolean }) =>
    operation ? operationUpdate({ ...input, ...terms }) : operationCreate({ ...input, ...terms });
  return (
    <ChangeReview
      title={operation ? `Edit operation ${name}` : `Add operation to ${api.name}`}
      permission="apis:write"
      call={call}
      config={{
        apis: {
          [api.key]: {
            name: api.name,
            operations: { [name]: { description, cost: input.cost, priority: priority.toLowerCase() } },
          },
        },
      }}
      incomplete={!cost.ok || name === ''}
      send={send}
      {...(operation ? {} : { applyLabel: 'Add operation' })}
      {...told}
      onClose={onClose}
      onApplied={(outcome) =>
        onDone(
          operation ? `Operation ${name} updated` : `Operation ${name} added`,
          'changeId' in outcome ? (outcome.changeId as string | null) : null,
        )
      }
      {...(aside ? { aside: () => aside(call) } : {})}
    >
      {!operation && (
        <TextInput
          label="Name"
          description="The name services send, such as createURL. It cannot be changed later."
          required
          data-autofocus
          value={name}
          onChange={(event) => set({ name: event.currentTarget.value })}
          error={byField.name}
          spellCheck={false}
          autoComplete="off"
        />
      )}
      <TextInput
        label="Cost"
        description="Units that one call consumes."
        required
        inputMode="numeric"
        value={values.cost}
        onChange={(event) => set({ cost: event.currentTarget.value })}
        error={cost.ok ? byField.cost : cost.message}
      />
      <Select
        label="Priority"
        description="Which requests are denied first when a pool runs short."
        data={PRIORITIES.map((value) => ({ value, label: PRIORITY_TEXT[value] }))}
        value={priority}
        onChange={(value) => value && set({ priority: value as Priority })}
        allowDeselect={false}
        error={byField.priority}
      />
      <Textarea
        label="Description"
        value={description}
        onChange={(event) => set({ description: event.currentTarget.value })}
        error={byField.description}
        autosize
        minRows={2}
      />
    </ChangeReview>
  );
}
