import { Badge, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { DataTable } from '../../../components/data-table.js';
import { Failure } from '../../../components/failure.js';
import { GatedButton } from '../../../components/gated-button.js';
import { Panel, RowsSkeleton } from '../../../components/page.js';
import { alertThresholdsQuery, useAlertThresholdRemove } from '../api/alerts.js';
import { AlertDialog, type AlertPlace } from './alert-dialog.js';

interface AlertSettingsProps {
  tenantKey: string;
  /** Names of the limits of each API. */
  limitsByApi: ReadonlyMap<string, readonly string[]>;
}

/** At which parts of which limits a tenant's people are told. */
export function AlertSettings({ tenantKey, limitsByApi }: AlertSettingsProps) {
  const { data, error, refetch } = useQuery(alertThresholdsQuery(tenantKey));
  const remove = useAlertThresholdRemove();
  const [editing, setEditing] = useState<AlertPlace>();
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
          place={editing}
          onClose={() => setEditing(undefined)}
        />
      )}
    </Panel>
  );
}
