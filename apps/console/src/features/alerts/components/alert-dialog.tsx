import { Select, TagsInput, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { CreateModal } from '../../../components/create-modal.js';
import { errorsByField } from '../../../lib/user-errors.js';
import { alertThresholdCall, useAlertThresholdSet } from '../api/alerts.js';

/** What a setting is for, and what it says. */
export interface AlertPlace {
  apiKey: string | null;
  limitName: string | null;
  percents: readonly number[];
}

interface AlertDialogProps {
  tenantKey: string;
  limitsByApi: ReadonlyMap<string, readonly string[]>;
  place: AlertPlace;
  onClose: () => void;
}

/** One setting: of which limits, and at which parts of them. */
export function AlertDialog({ tenantKey, limitsByApi, place, onClose }: AlertDialogProps) {
  const [{ apiKey, limitName }, setPlace] = useState(place);
  const [percents, setPercents] = useState(place.percents.map(String));
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
        onChange={(key) => setPlace({ apiKey: key, limitName: null, percents: [] })}
        placeholder="All APIs"
        clearable
        error={byField.apiKey}
      />
      {apiKey !== null && (
        <Select
          label="Limit"
          data={limitsByApi.get(apiKey) ?? []}
          value={limitName}
          onChange={(name) => setPlace({ apiKey, limitName: name, percents: [] })}
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
