import { Badge, Select, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ChangeReview } from '../../components/change-review.js';
import { DataTable, hidden, NumericCell, numeric } from '../../components/data-table.js';
import { Ago } from '../../components/figures.js';
import { LinkAnchor } from '../../components/links.js';
import { KeyText } from '../../components/marks.js';
import { EmptyText, Panel } from '../../components/page.js';
import { NumberText } from '../../components/typed-field.js';
import type { Priority } from '../../generated/graphql.js';
import { useForm } from '../../lib/form.js';
import { PRIORITY_TEXT } from '../../lib/labels.js';
import { useReviewedMutation } from '../../lib/mutation.js';
import { formatNumber } from '../../lib/number-format.js';
import { parseCount } from '../../lib/rate.js';
import {
  API_KEYS,
  type ApiDetail,
  type DiscoveredOperation,
  discoveredOperationsQuery,
  OperationCreateDocument,
  type OperationDetail,
  OperationUpdateDocument,
} from './api.js';
import { type ApiFormProps, Removal } from './api-forms.js';
import { AddPartButton, type OpenPart, PartButtons, type PartsPanelProps, usePartForms } from './parts.js';

interface OperationFormProps extends ApiFormProps {
  api: Pick<ApiDetail, 'key' | 'name' | 'version'>;
  /** The operation to edit; left out: a new one. */
  operation?: OperationDetail;
  suggestedName?: string;
}

const PRIORITIES: readonly Priority[] = ['CRITICAL', 'NORMAL', 'BACKGROUND'];

export function OperationForm(props: OperationFormProps) {
  const { api, operation, suggestedName = '', onClose, onDone, aside } = props;
  const { values, bind, byField, review } = useForm({
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
  const document = operation ? OperationUpdateDocument : OperationCreateDocument;
  const save = useReviewedMutation(document, input, ...API_KEYS);
  return (
    <ChangeReview
      title={operation ? `Edit operation ${name}` : `Add operation to ${api.name}`}
      permission="apis:write"
      {...save}
      config={{
        apis: {
          [api.key]: {
            name: api.name,
            operations: { [name]: { description, cost: input.cost, priority: priority.toLowerCase() } },
          },
        },
      }}
      incomplete={!cost.ok || name === ''}
      {...(operation ? {} : { applyLabel: 'Add operation' })}
      {...review}
      onClose={onClose}
      onApplied={(outcome) =>
        onDone(
          operation ? `Operation ${name} updated` : `Operation ${name} added`,
          'changeId' in outcome ? outcome.changeId : null,
        )
      }
      {...(aside ? { aside: () => aside(save.call, onClose) } : {})}
    >
      {!operation && (
        <TextInput
          label="Name"
          description="The name services send, such as createURL. It cannot be changed later."
          required
          data-autofocus
          spellCheck={false}
          autoComplete="off"
          {...bind('name')}
        />
      )}
      <NumberText
        label="Cost"
        description="Units that one call consumes."
        required
        inputMode="numeric"
        {...bind('cost')}
        parsed={cost}
        error={cost.ok ? byField.cost : cost.message}
      />
      <Select
        label="Priority"
        description="Which requests are denied first when a pool runs short."
        data={PRIORITIES.map((value) => ({ value, label: PRIORITY_TEXT[value] }))}
        {...bind('priority')}
      />
      <Textarea label="Description" {...bind('description')} />
    </ChangeReview>
  );
}

export function OperationsPanel(props: PartsPanelProps) {
  const { api, editable } = props;
  const { open, setOpen, form } = usePartForms<OperationDetail>(props);
  return (
    <Panel
      title="Operations"
      flush
      actions={
        <AddPartButton label="Add operation" editable={editable} onClick={() => setOpen({ kind: 'add' })} />
      }
    >
      {api.operations.length === 0 ? (
        <EmptyText>No operations yet. Limits can still apply to the whole API.</EmptyText>
      ) : (
        <DataTable
          label="Operations"
          columns={[
            'Operation',
            'Description',
            'Priority',
            numeric('Cost'),
            ...(editable ? [hidden('Actions')] : []),
          ]}
        >
          {api.operations.map((operation) => (
            <OperationRow key={operation.id} operation={operation} editable={editable} onOpen={setOpen} />
          ))}
        </DataTable>
      )}
      {open?.kind === 'add' && <OperationForm {...form} />}
      {open?.kind === 'edit' && <OperationForm {...form} operation={open.part} />}
      {open?.kind === 'delete' && <Removal {...form} part={{ kind: 'operation', name: open.part.name }} />}
    </Panel>
  );
}

interface OperationRowProps {
  operation: OperationDetail;
  editable: boolean;
  onOpen: (open: OpenPart<OperationDetail>) => void;
}

function OperationRow({ operation, editable, onOpen }: OperationRowProps) {
  const { name, description, priority, cost } = operation;
  return (
    <tr>
      <th scope="row">
        <KeyText>{name}</KeyText>
      </th>
      <td style={{ minWidth: 180 }}>
        {description || <span style={{ color: 'var(--tg-text-soft)' }}>–</span>}
      </td>
      <td>{PRIORITY_TEXT[priority]}</td>
      <NumericCell>{formatNumber(cost)}</NumericCell>
      {editable && (
        <td style={{ width: 1, whiteSpace: 'nowrap', paddingBlock: 4 }}>
          <PartButtons
            editLabel={`Edit operation ${name}`}
            deleteLabel={`Delete operation ${name}`}
            onEdit={() => onOpen({ kind: 'edit', part: operation })}
            onDelete={() => onOpen({ kind: 'delete', part: operation })}
          />
        </td>
      )}
    </tr>
  );
}

interface DiscoveredOperationsProps {
  /** Left out for all APIs. */
  apiKey?: string;
  action: (found: DiscoveredOperation) => ReactNode;
}

/** Discovered operations without limits; renders nothing when there are none. */
export function DiscoveredOperations({ apiKey, action }: DiscoveredOperationsProps) {
  const { data = [] } = useQuery(discoveredOperationsQuery(apiKey ?? null));
  if (data.length === 0) return null;
  return (
    <Panel title="Discovered operations without limits" note="Requested in the last 7 days." flush>
      <DataTable
        label="Discovered operations without limits"
        columns={[
          'Operation',
          'Status',
          numeric('Decisions'),
          numeric('Tenants'),
          'Last seen (hour)',
          hidden('Actions'),
        ]}
      >
        {data.map((found) => (
          <tr key={`${found.apiKey} ${found.operation}`}>
            <th scope="row">
              {apiKey === undefined && <ApiName found={found} />}
              <KeyText>{found.operation}</KeyText>
            </th>
            <td>
              <Badge color={found.known ? 'gray' : 'ochre'}>{stateOf(found)}</Badge>
            </td>
            <NumericCell>{formatNumber(found.count)}</NumericCell>
            <NumericCell>{formatNumber(found.tenants)}</NumericCell>
            <td>
              <Ago at={found.lastHour} />
            </td>
            <td style={{ width: 1, whiteSpace: 'nowrap', paddingBlock: 4 }}>{action(found)}</td>
          </tr>
        ))}
      </DataTable>
    </Panel>
  );
}

function ApiName({ found: { apiKey, apiKnown } }: { found: DiscoveredOperation }) {
  return (
    <>
      {apiKnown ? (
        <LinkAnchor to="/apis/$apiKey" params={{ apiKey }} c="inherit">
          {apiKey}
        </LinkAnchor>
      ) : (
        <KeyText>{apiKey}</KeyText>
      )}
      {' / '}
    </>
  );
}

function stateOf({ apiKnown, known }: DiscoveredOperation): string {
  if (!apiKnown) return 'API not registered';
  return known ? 'no limit' : 'not registered';
}
