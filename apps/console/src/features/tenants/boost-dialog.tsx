import { Alert, Group, Select, TextInput } from '@mantine/core';
import { IconInfoCircle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ImpactText } from '../../components/change-review.js';
import { CreateModal } from '../../components/create-modal.js';
import { Hint } from '../../components/page.js';
import { errorsByField } from '../../lib/graphql-request.js';
import { plural } from '../../lib/number-format.js';
import { boostStartCall, boostTrialQuery, useLimitBoost } from './boost-api.js';

const PERCENTS = ['25', '50', '100', '200'];
const HOURS = ['4', '24', '48', '72'];

export interface BoostDialogProps {
  row: { tenant: { key: string; name: string }; tightest?: { apiKey: string; limitName: string } | null };
  onClose: () => void;
  onStarted: (changeId: string | null, title: string) => void;
}

/** Raises the tightest limit of a tenant temporarily, with a preview. */
export default function BoostDialog({ row, onClose, onStarted }: BoostDialogProps) {
  const [percent, setPercent] = useState('50');
  const [hours, setHours] = useState('24');
  const [reason, setReason] = useState('');
  const { key: tenantKey, name: tenantName } = row.tenant;
  const { apiKey = '', limitName: limit = '' } = row.tightest ?? {};
  const target = { tenantKey, apiKey, limit, morePercent: Number(percent), hours: Number(hours) };
  const trial = useQuery(boostTrialQuery(target));
  const boost = useLimitBoost();
  const { byField, form } = errorsByField(boost.error, ['reason']);
  const submit = () =>
    boost.mutate(
      { ...target, reason },
      { onSuccess: ({ changeId }) => onStarted(changeId ?? null, `${tenantName} boosted`) },
    );
  const problem = form ?? trial.error?.message;
  return (
    <CreateModal
      title={`Boost ${tenantName}`}
      opened
      onClose={onClose}
      onSubmit={submit}
      submitLabel="Start boost"
      pending={boost.isPending}
      problem={problem}
      {...(trial.data && {
        copy: { call: boostStartCall({ ...target, reason }, trial.data.expectedVersion) },
      })}
    >
      <Hint>
        Temporarily raises {limit} of {apiKey}. Boosts end automatically.
      </Hint>
      <Group grow>
        <Select
          label="Increase"
          data={PERCENTS.map((value) => ({ value, label: `+${value} %` }))}
          value={percent}
          onChange={(value) => value && setPercent(value)}
        />
        <Select
          label="Duration"
          data={HOURS.map((value) => ({ value, label: plural(Number(value), 'hour') }))}
          value={hours}
          onChange={(value) => value && setHours(value)}
        />
      </Group>
      {!problem && (
        <Alert color="gate" icon={<IconInfoCircle size={18} aria-hidden />}>
          <ImpactText impact={trial.data ? trial.data.impact : undefined} />
          {trial.data?.warnings.map((warning) => (
            <div key={warning}>{warning}</div>
          ))}
        </Alert>
      )}
      <TextInput
        label="Reason"
        description="Recorded in the audit trail."
        required
        data-autofocus
        value={reason}
        onChange={({ currentTarget: { value } }) => setReason(value)}
        error={byField.reason}
      />
    </CreateModal>
  );
}
