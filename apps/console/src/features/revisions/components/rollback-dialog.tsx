import { Alert, Button, Drawer, Group, Stack, Text, TextInput } from '@mantine/core';
import { IconAlertCircle, IconInfoCircle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslations } from 'use-intl';
import { CarryOverChoice } from '../../../components/carry-over-choice.js';
import { ImpactText } from '../../../components/impact-text.js';
import type { CarryOver } from '../../../generated/graphql.js';
import { errorsByField } from '../../../lib/user-errors.js';
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
  const t = useTranslations('revisions');
  const common = useTranslations('common');
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
  const named = (keys: readonly string[] = []) => (keys.length === 0 ? t('nothing') : keys.join(', '));
  const plan = trial.data?.rollback;
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size="lg"
      title={t('rollbackTitle', { number: toRevision })}
    >
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <Text size="sm" c="dimmed">
            {t('rollbackLead')}
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
              {plan && <div>{t('willRestore', { tiers: named(plan.tiers), apis: named(plan.apis) })}</div>}
              {plan && plan.kept.length > 0 && <div>{t('willKeep', { kept: named(plan.kept) })}</div>}
            </Alert>
          )}
          {diff.data && (
            <div>
              <Differences diff={diff.data} />
            </div>
          )}
          <CarryOverChoice label={t('carryOver')} value={carryOver} onChange={setCarryOver} />
          <TextInput
            label={common('reason')}
            description={common('reasonHint')}
            required
            value={reason}
            onChange={({ currentTarget: { value } }) => setReason(value)}
            error={byField.reason}
          />
          <Group justify="flex-end">
            <Button variant="default" size="sm" onClick={onClose}>
              {common('cancel')}
            </Button>
            <Button type="submit" size="sm" loading={rollback.isPending} disabled={trial.data === undefined}>
              {t('rollback')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Drawer>
  );
}
