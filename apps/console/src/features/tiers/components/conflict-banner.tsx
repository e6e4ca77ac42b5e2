import { Alert, Button, Group, Stack } from '@mantine/core';
import { IconGitMerge } from '@tabler/icons-react';
import type { LimitChange } from '../limit-diff.js';
import { ChangeList } from './change-list.js';

interface ConflictBannerProps {
  theirChanges: readonly LimitChange[];
  onKeepOnTop: () => void;
  onReload: () => void;
}

/** Somebody changed the tier while it was being edited here: what they changed, and the two ways on. */
export function ConflictBanner({ theirChanges, onKeepOnTop, onReload }: ConflictBannerProps) {
  return (
    <Alert
      role="alert"
      color="ember"
      icon={<IconGitMerge size={18} aria-hidden />}
      title="This tier changed while you were editing"
    >
      <Stack gap="sm" align="flex-start">
        {theirChanges.length > 0 ? 'Changes:' : 'Its limits are unchanged; other settings changed.'}
        {theirChanges.length > 0 && (
          <div style={{ width: '100%', maxWidth: 560 }}>
            <ChangeList changes={theirChanges} />
          </div>
        )}
        <Group gap="xs">
          <Button onClick={onKeepOnTop}>Reapply my changes</Button>
          <Button variant="default" onClick={onReload}>
            Discard my changes
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}
