import { Badge, Group, Select, TagsInput, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { GatedButton } from '../../components/buttons.js';
import { CreateModal } from '../../components/create-modal.js';
import { DataTable } from '../../components/data-table.js';
import { Failure, Panel, RowsSkeleton } from '../../components/page.js';
import { errorsByField } from '../../lib/graphql-request.js';
import {
  alertThresholdCall,
  alertThresholdsQuery,
  useAlertThresholdRemove,
  useAlertThresholdSet,
} from './api.js';

/** Target and thresholds of one setting. */
export interface AlertTarget {
  apiKey: string | null;
  limitName: string | null;
  percents: readonly number[];
}

interface AlertDialogProps {
  tenantKey: string;
  limitsByApi: ReadonlyMap<string, readonly string[]>;
  position: AlertTarget;
  onClose: () => void;
}

/** One setting: of which limits, and at which parts of them. */
export function AlertDialog({ tenantKey, limitsByApi, position, onClose }: AlertDialogProps) {
  const [{ apiKey, limitName }, setPosition] = useState(position);
  const [percents, setPercents] = useState(position.percents.map(String));
  const [problem, setProblem] = useState<string>();
  const set = useAlertThresholdSet();
  const { byField, form } = errorsByField(set.error, ['apiKey', 'limitName', 'percents']);
  const numbers = percents.map((text) => Number(text.replace('%', '').trim()));
  const isWrong = numbers.length === 0 || numbers.some((n) => !Number.isInteger(n) || n < 1 || n > 100);
  const input = { tenantKey, apiKey, limitName, percents: numbers };
  const submit = () => {
    setProblem(isWrong ? 'Enter whole numbers from 1 to 100' : undefined);
    if (isWrong) return;
    set.mutate(input, {
      onSuccess: () => {
        notifications.show({ message: 'Alerts saved', color: 'gate' });
        onClose();
      },
    });
  };
  return (
    <CreateModal
      opened
      title="Alert thresholds"
      onClose={onClose}
      onSubmit={submit}
      submitLabel="Save"
      pending={set.isPending}
      problem={form}
      {...(!isWrong && { copy: { call: alertThresholdCall(input) } })}
    >
      <Select
        label="API"
        data={[...limitsByApi.keys()]}
        value={apiKey}
        onChange={(key) => setPosition({ apiKey: key, limitName: null, percents: [] })}
        placeholder="All APIs"
        clearable
        error={byField.apiKey}
      />
      {apiKey !== null && (
        <Select
          label="Limit"
          data={limitsByApi.get(apiKey) ?? []}
          value={limitName}
          onChange={(name) => setPosition({ apiKey, limitName: name, percents: [] })}
          placeholder="All limits"
          clearable
          error={byField.limitName}
        />
      )}
      <TagsInput
        label="Thresholds"
        description="Percent of the limit, such as 50 and 80. 100 is always included."
        data={['50', '80', '90', '95']}
        value={percents}
        onChange={setPercents}
        placeholder={percents.length === 0 ? 'Enter a number and press Enter' : ''}
        maxTags={8}
        error={problem ?? byField.percents}
      />
      <Text size="sm" c="dimmed">
        100 % always sends an alert.
      </Text>
    </CreateModal>
  );
}

interface AlertSettingsProps {
  tenantKey: string;
  /** Names of the limits of each API. */
  limitsByApi: ReadonlyMap<string, readonly string[]>;
}

/** Alert thresholds of a tenant. */
export function AlertSettings({ tenantKey, limitsByApi }: AlertSettingsProps) {
  const { data, error, refetch } = useQuery(alertThresholdsQuery(tenantKey));
  const remove = useAlertThresholdRemove();
  const [editing, setEditing] = useState<AlertTarget>();
  const gate = { permission: 'alerts:write', tenantKey, variant: 'default' } as const;
  const nameOf = ({ apiKey, limitName }: { apiKey?: string | null; limitName?: string | null }) =>
    limitName ? `${limitName}, ${apiKey}` : apiKey ? `All limits of ${apiKey}` : 'All limits';
  const columns = [{ name: 'Limits' }, { name: 'Thresholds' }, { name: 'Actions', hidden: true }];
  return (
    <Panel
      title="Alert thresholds"
      note="The most specific setting applies: limit, then API, then all."
      flush
      actions={
        <GatedButton {...gate} onClick={() => setEditing({ apiKey: null, limitName: null, percents: [80] })}>
          Add threshold
        </GatedButton>
      }
    >
      {!data &&
        (error ? <Failure error={error} onRetry={() => void refetch()} /> : <RowsSkeleton rows={2} />)}
      {data?.length === 0 && (
        <Text size="sm" c="dimmed" p="md">
          No settings. You are alerted at 80 % and 100 % of every limit.
        </Text>
      )}
      {data && data.length > 0 && (
        <DataTable label="Alert thresholds" columns={columns}>
          {data.map(({ id, apiKey = null, limitName = null, percents }) => (
            <tr key={id}>
              <th scope="row">{nameOf({ apiKey, limitName })}</th>
              <td>
                <Group gap={6}>
                  {[...new Set([...percents, 100])].map((percent) => (
                    <Badge key={percent} color={percent === 100 ? 'ember' : 'ochre'}>
                      {percent} %
                    </Badge>
                  ))}
                </Group>
              </td>
              <td>
                <Group gap={6} justify="flex-end" wrap="nowrap">
                  <GatedButton
                    {...gate}
                    aria-label={`Edit thresholds for ${nameOf({ apiKey, limitName })}`}
                    onClick={() => setEditing({ apiKey, limitName, percents })}
                  >
                    Edit
                  </GatedButton>
                  <GatedButton
                    {...gate}
                    aria-label={`Remove thresholds for ${nameOf({ apiKey, limitName })}`}
                    loading={remove.isPending && remove.variables.id === id}
                    onClick={() =>
                      remove.mutate(
                        { tenantKey, id },
                        {
                          onSuccess: () =>
                            notifications.show({ message: 'Thresholds removed', color: 'gate' }),
                        },
                      )
                    }
                  >
                    Remove
                  </GatedButton>
                </Group>
              </td>
            </tr>
          ))}
        </DataTable>
      )}
      {editing && (
        <AlertDialog
          tenantKey={tenantKey}
          limitsByApi={limitsByApi}
          position={editing}
          onClose={() => setEditing(undefined)}
        />
      )}
    </Panel>
  );
}
