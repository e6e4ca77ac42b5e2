import { Select, TagsInput, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
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
  const t = useTranslations('alerts');
  const [{ apiKey, limitName }, setPlace] = useState(place);
  const [percents, setPercents] = useState(place.percents.map(String));
  const [problem, setProblem] = useState<string>();
  const set = useAlertThresholdSet();
  const { byField, form } = errorsByField(set.error, ['apiKey', 'limitName', 'percents']);
  const numbers = percents.map((text) => Number(text.replace('%', '').trim()));
  const isWrong = numbers.length === 0 || numbers.some((n) => !Number.isInteger(n) || n < 1 || n > 100);
  const input = { tenantKey, apiKey, limitName, percents: numbers };
  const submit = () => {
    setProblem(isWrong ? t('notPercent') : undefined);
    if (isWrong) return;
    set.mutate(input, {
      onSuccess: () => {
        notifications.show({ message: t('saved'), color: 'gate' });
        onClose();
      },
    });
  };
  return (
    <CreateModal
      opened
      title={t('settings')}
      onClose={onClose}
      onSubmit={submit}
      submitLabel={t('save')}
      pending={set.isPending}
      problem={form}
      {...(!isWrong && { copy: { call: alertThresholdCall(input) } })}
    >
      <Select
        label={t('api')}
        data={[...limitsByApi.keys()]}
        value={apiKey}
        onChange={(key) => setPlace({ apiKey: key, limitName: null, percents: [] })}
        placeholder={t('everyApi')}
        clearable
        error={byField.apiKey}
      />
      {apiKey !== null && (
        <Select
          label={t('limit')}
          data={limitsByApi.get(apiKey) ?? []}
          value={limitName}
          onChange={(name) => setPlace({ apiKey, limitName: name, percents: [] })}
          placeholder={t('everyLimit')}
          clearable
          error={byField.limitName}
        />
      )}
      <TagsInput
        label={t('percents')}
        description={t('percentsHint')}
        data={['50', '80', '90', '95']}
        value={percents}
        onChange={setPercents}
        placeholder={percents.length === 0 ? t('percentsPlaceholder') : ''}
        maxTags={8}
        error={problem ?? byField.percents}
      />
      <Text size="sm" c="dimmed">
        {t('always')}
      </Text>
    </CreateModal>
  );
}
