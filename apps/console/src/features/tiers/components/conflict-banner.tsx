import { Alert, Button, Group, Stack } from '@mantine/core';
import { IconGitMerge } from '@tabler/icons-react';
import { useTranslations } from 'use-intl';
import type { LimitChange } from '../limit-diff.js';
import { ChangeList } from './change-list.js';

interface ConflictBannerProps {
  theirChanges: readonly LimitChange[];
  onKeepOnTop: () => void;
  onReload: () => void;
}

/** Somebody changed the tier while it was being edited here: what they changed, and the two ways on. */
export function ConflictBanner({ theirChanges, onKeepOnTop, onReload }: ConflictBannerProps) {
  const t = useTranslations('tiers.conflictBanner');
  return (
    <Alert
      role="alert"
      color="ember"
      icon={<IconGitMerge size={18} aria-hidden />}
      title={t('someoneChangedThisTier')}
    >
      <Stack gap="sm" align="flex-start">
        {theirChanges.length > 0 ? t('theirChanges') : t('itsLimitsAreThe')}
        {theirChanges.length > 0 && (
          <div style={{ width: '100%', maxWidth: 560 }}>
            <ChangeList changes={theirChanges} />
          </div>
        )}
        <Group gap="xs">
          <Button onClick={onKeepOnTop}>{t('putMyEditsOn')}</Button>
          <Button variant="default" onClick={onReload}>
            {t('reloadAndDropMy')}
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}
