import { Badge, Group, Select, TagsInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { wordsOfName } from '@tollgate/contracts/limit-title';
import { type ReactNode, useState } from 'react';
import { GatedButton } from '../../components/buttons.js';
import { CreateModal } from '../../components/create-modal.js';
import { ActionsCell, hidden, QueryTable } from '../../components/data-table.js';
import { Hint, Panel, QueryFallback } from '../../components/page.js';
import { useLimitTitle } from '../../lib/customer-page.js';
import { notifyDone } from '../../lib/graphql-request.js';
import { useInputMutation, useMutationDialog } from '../../lib/mutation.js';
import { plural } from '../../lib/number-format.js';
import {
  AlertThresholdRemoveDocument,
  AlertThresholdSetDocument,
  alertsKey,
  alertThresholdsQuery,
} from './api.js';

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

export function AlertDialog({ tenantKey, limitsByApi, position, onClose }: AlertDialogProps) {
  const [{ apiKey, limitName }, setPosition] = useState(position);
  const [percents, setPercents] = useState(position.percents.map(String));
  const [problem, setProblem] = useState<string>();
  const titleOf = useLimitTitle();
  const fields = ['apiKey', 'limitName', 'percents'];
  const { errors, dialog } = useMutationDialog(AlertThresholdSetDocument, fields, alertsKey);
  const numbers = percents.map((text) => Number(text.replace('%', '').trim()));
  const isWrong = numbers.length === 0 || numbers.some((n) => !Number.isInteger(n) || n < 1 || n > 100);
  const input = { tenantKey, apiKey, limitName, percents: numbers };
  const save = dialog(isWrong ? undefined : input, () => {
    notifyDone('Alerts saved');
    onClose();
  });
  const submit = () => {
    setProblem(isWrong ? 'Enter whole numbers from 1 to 100' : undefined);
    save.onSubmit();
  };
  return (
    <CreateModal title="Alert thresholds" submitLabel="Save" onClose={onClose} {...save} onSubmit={submit}>
      <Select
        label="API"
        data={[...limitsByApi.keys()].map((value) => ({
          value,
          label: titleOf ? wordsOfName(value) : value,
        }))}
        value={apiKey}
        onChange={(key) => setPosition({ apiKey: key, limitName: null, percents: [] })}
        placeholder="All APIs"
        clearable
        error={errors.apiKey}
      />
      {apiKey !== null && (
        <Select
          label="Limit"
          data={(limitsByApi.get(apiKey) ?? []).map((value) => ({
            value,
            label: titleOf?.(apiKey, value) ?? value,
          }))}
          value={limitName}
          onChange={(name) => setPosition({ apiKey, limitName: name, percents: [] })}
          placeholder="All limits"
          clearable
          error={errors.limitName}
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
        error={problem ?? errors.percents}
      />
      <Hint>100 % always sends an alert.</Hint>
    </CreateModal>
  );
}

const DEFAULT_PERCENTS = [80];

/** `50 %, 80 % and 100 %`; 100 % always sends an alert. */
const inWords = (percents: readonly number[]): string =>
  new Intl.ListFormat('en-GB').format([...new Set([...percents, 100])].map((percent) => `${percent} %`));

/** The thresholds of a tenant in short, with a link to their page. */
export function AlertsSummary({ tenantKey, link }: { tenantKey: string; link: ReactNode }) {
  const query = useQuery(alertThresholdsQuery(tenantKey));
  const settings = query.data;
  const general = settings?.find(({ apiKey }) => apiKey === null)?.percents ?? DEFAULT_PERCENTS;
  const special = settings?.filter(({ apiKey }) => apiKey !== null).length ?? 0;
  return (
    <Panel title="Alerts" actions={link}>
      <QueryFallback query={query} rows={1} />
      {settings && (
        <Hint>
          You get an email when a limit reaches {inWords(general)}.
          {special > 0 && ` Other thresholds apply to ${plural(special, 'limit or API', 'limits or APIs')}.`}
        </Hint>
      )}
    </Panel>
  );
}

interface AlertSettingsProps {
  tenantKey: string;
  limitsByApi: ReadonlyMap<string, readonly string[]>;
}

export function AlertSettings({ tenantKey, limitsByApi }: AlertSettingsProps) {
  const query = useQuery(alertThresholdsQuery(tenantKey));
  const remove = useInputMutation(AlertThresholdRemoveDocument, alertsKey);
  const [editing, setEditing] = useState<AlertTarget>();
  const gate = { permission: 'alerts:write', tenantKey, variant: 'default' } as const;
  const titleOf = useLimitTitle();
  const nameOf = ({ apiKey, limitName }: Pick<AlertTarget, 'apiKey' | 'limitName'>) => {
    if (apiKey === null) return 'All limits';
    if (limitName === null) return `All limits of ${titleOf ? wordsOfName(apiKey) : apiKey}`;
    return titleOf?.(apiKey, limitName) ?? `${limitName}, ${apiKey}`;
  };
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
      <QueryTable
        query={query}
        list={query.data}
        rows={2}
        empty={`No settings. You are alerted at ${inWords(DEFAULT_PERCENTS)} of every limit.`}
        label="Alert thresholds"
        columns={['Limits', 'Thresholds', hidden('Actions')]}
      >
        {({ id, apiKey = null, limitName = null, percents }) => (
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
            <ActionsCell>
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
                  remove.mutate({ tenantKey, id }, { onSuccess: () => notifyDone('Thresholds removed') })
                }
              >
                Remove
              </GatedButton>
            </ActionsCell>
          </tr>
        )}
      </QueryTable>
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
