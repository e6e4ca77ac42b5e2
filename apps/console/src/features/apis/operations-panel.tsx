import { Badge, Select, Text, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ChangeReview } from '../../components/change-review.js';
import { DataTable, NumericCell } from '../../components/data-table.js';
import { LinkAnchor } from '../../components/links.js';
import { KeyText } from '../../components/marks.js';
import { Panel } from '../../components/page.js';
import type { Priority } from '../../generated/graphql.js';
import { useForm } from '../../lib/form.js';
import { PRIORITY_TEXT } from '../../lib/labels.js';
import { formatNumber } from '../../lib/number-format.js';
import { parseCount } from '../../lib/rate.js';
import { formatAgo, formatMoment } from '../../lib/time-format.js';
import {
  type ApiDetail,
  type DiscoveredOperation,
  discoveredOperationsQuery,
  type OperationDetail,
  useApiChanges,
} from './api.js';
import { type ApiFormProps, Removal } from './api-forms.js';
import { AddPartButton, type OpenPart, PartButtons, type PartsPanelProps, usePartForms } from './parts.js';

interface OperationFormProps extends ApiFormProps {
  api: Pick<ApiDetail, 'key' | 'name' | 'version'>;
  /** The one to change; left out: a new one. */
  operation?: OperationDetail;
  /** A new one is to be called so. */
  suggestedName?: string;
}

const PRIORITIES: readonly Priority[] = ['CRITICAL', 'NORMAL', 'BACKGROUND'];

/** Adds or edits an operation. */
export function OperationForm(props: OperationFormProps) {
  const { api, operation, suggestedName = '', onClose, onDone, aside } = props;
  const { operationCreate, operationUpdate } = useApiChanges();
  const { values, set, byField, review } = useForm({
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
      {...review}
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

/** Operations of an API with cost and priority. */
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
        <Text c="dimmed" size="sm" p="md">
          No operations yet. Limits can still apply to the whole API.
        </Text>
      ) : (
        <DataTable
          label="Operations"
          columns={[
            { name: 'Operation' },
            { name: 'Description' },
            { name: 'Priority' },
            { name: 'Cost', numeric: true },
            ...(editable ? [{ name: 'Actions', hidden: true }] : []),
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
  /** Left out: of all APIs. */
  apiKey?: string;
  /** Action for one operation. */
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
          { name: 'Operation' },
          { name: 'Status' },
          { name: 'Decisions', numeric: true },
          { name: 'Tenants', numeric: true },
          { name: 'Last seen (hour)' },
          { name: 'Actions', hidden: true },
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
              <time dateTime={found.lastHour} title={formatMoment(found.lastHour)}>
                {formatAgo(found.lastHour)}
              </time>
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
