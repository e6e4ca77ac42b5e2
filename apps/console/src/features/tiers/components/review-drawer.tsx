import { Alert, Button, Drawer, Group, Stack, Text, Textarea } from '@mantine/core';
import { IconAlertCircle } from '@tabler/icons-react';
import { useState } from 'react';
import { GatedButton } from '../../../components/gated-button.js';
import { formatNumber, plural } from '../../../lib/number-format.js';
import type { LimitChange } from '../limit-diff.js';
import { ChangeList } from './change-list.js';
import classes from './tiers.module.css';

interface ReviewDrawerProps {
  opened: boolean;
  onClose: () => void;
  tierName: string;
  tenantCount: number;
  changes: readonly LimitChange[];
  replacesDraft: boolean;
  /** What the server said that belongs to no row. */
  problem: string | undefined;
  applying: boolean;
  onApply: (reason: string | null) => void;
}

/** Before and after of every changed limit, whom it reaches, and the button that applies it. */
export function ReviewDrawer(props: ReviewDrawerProps) {
  const { opened, onClose, tierName, tenantCount, changes, replacesDraft, problem, applying, onApply } =
    props;
  const [reason, setReason] = useState('');
  const count = (effect: LimitChange['effect']) =>
    changes.filter((change) => change.effect === effect).length;
  return (
    <Drawer
      opened={opened}
      onClose={onClose}
      position="right"
      size={560}
      padding="lg"
      title={<Text fw={600}>Review changes to {tierName}</Text>}
    >
      <Stack gap="md">
        <dl className={classes.reach}>
          <ReachFigure label={tenantCount === 1 ? 'tenant' : 'tenants'} value={tenantCount} />
          <ReachFigure label="loosened" value={count('loosened')} />
          <ReachFigure label="tightened" value={count('tightened')} />
          {count('mixed') > 0 && <ReachFigure label="mixed" value={count('mixed')} />}
        </dl>
        <Text size="sm" c="dimmed">
          {tenantCount === 0
            ? 'No tenant is on this tier yet; the limits wait for the first one.'
            : 'Applies at once. What tenants have used already stays counted.'}
        </Text>
        <ChangeList changes={changes} />
        {replacesDraft && (
          <Text size="sm" c="dimmed">
            The draft that was saved earlier is replaced by these changes.
          </Text>
        )}
        <Textarea
          label="Reason"
          description="Optional. It is kept in the audit trail."
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
          maxLength={500}
          autosize
          minRows={2}
        />
        {problem && (
          <Alert
            role="alert"
            color="ember"
            icon={<IconAlertCircle size={18} aria-hidden />}
            title="Nothing was published"
          >
            {problem}
          </Alert>
        )}
        <Group justify="flex-end">
          <Button variant="default" size="sm" onClick={onClose}>
            Keep editing
          </Button>
          <GatedButton
            permission="tiers:write"
            size="sm"
            loading={applying}
            disabled={changes.length === 0}
            onClick={() => onApply(reason.trim() || null)}
          >
            {tenantCount === 0 ? 'Apply' : `Apply to ${plural(tenantCount, 'tenant')}`}
          </GatedButton>
        </Group>
      </Stack>
    </Drawer>
  );
}

function ReachFigure({ label, value }: { label: string; value: number }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{formatNumber(value)}</dd>
    </div>
  );
}
