import { Alert, Button, Drawer, Group, Stack, Text, TextInput } from '@mantine/core';
import { IconAlertCircle, IconInfoCircle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { ImpactText } from '../../../components/change-review.js';
import { CarryOverChoice } from '../../../components/fields.js';
import type { CarryOver } from '../../../generated/graphql.js';
import { errorsByField } from '../../../lib/graphql-request.js';
import { formatNumber } from '../../../lib/number-format.js';
import { rollbackTrialQuery, usePolicyRollback } from '../api/policy-rollback.js';
import { revisionDiffQuery } from '../api/revision-diff.js';
import { Differences } from './revision-diff.js';

interface RollbackDialogProps {
  toRevision: number;
  /** The newest revision that the person has seen. */
  expectedRevision: number;
  onClose: () => void;
  onDone: (changeId: string | null) => void;
}

/** Looks at what going back would do, and does it. */
export function RollbackDialog({ toRevision, expectedRevision, onClose, onDone }: RollbackDialogProps) {
  const [carryOver, setCarryOver] = useState<CarryOver>('KEEP');
  const [reason, setReason] = useState('');
  const trial = useQuery(rollbackTrialQuery({ toRevision, expectedRevision, carryOver }));
  const diff = useQuery(revisionDiffQuery(expectedRevision, toRevision));
  const rollback = usePolicyRollback();
  const { byField, form } = errorsByField(rollback.error, ['reason']);
  const problem = form ?? trial.error?.message;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const input = { toRevision, expectedRevision, carryOver, reason };
    rollback.mutate(input, { onSuccess: ({ changeId }) => onDone(changeId ?? null) });
  };
  const named = (keys: readonly string[] = []) => (keys.length === 0 ? 'none' : keys.join(', '));
  const plan = trial.data?.rollback;
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size="lg"
      title={`Roll back to revision ${formatNumber(toRevision)}`}
    >
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <Text size="sm" c="dimmed">
            Creates a new version of each tier that differs, with the limits of this revision. Tenants stay on
            their tiers. You can roll back this change too.
          </Text>
          {problem ? (
            <Alert role="alert" color="ember" icon={<IconAlertCircle size={18} aria-hidden />}>
              {problem}
            </Alert>
          ) : (
            <Alert color="gate" icon={<IconInfoCircle size={18} aria-hidden />}>
              <div>
                <ImpactText impact={trial.data?.impact ?? (trial.data ? null : undefined)} />
              </div>
              {plan && (
                <div>
                  Tiers: {named(plan.tiers)}. APIs: {named(plan.apis)}.
                </div>
              )}
              {plan && plan.kept.length > 0 && (
                <div>Added later and still in use, kept: {named(plan.kept)}.</div>
              )}
            </Alert>
          )}
          {diff.data && (
            <div>
              <Differences diff={diff.data} />
            </div>
          )}
          <CarryOverChoice label="Existing usage" value={carryOver} onChange={setCarryOver} />
          <TextInput
            label="Reason"
            description="Recorded in the audit trail."
            required
            value={reason}
            onChange={({ currentTarget: { value } }) => setReason(value)}
            error={byField.reason}
          />
          <Group justify="flex-end">
            <Button variant="default" size="sm" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" size="sm" loading={rollback.isPending} disabled={trial.data === undefined}>
              Roll back
            </Button>
          </Group>
        </Stack>
      </form>
    </Drawer>
  );
}
