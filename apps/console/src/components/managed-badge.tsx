import { Badge, Tooltip } from '@mantine/core';
import { useTranslations } from 'use-intl';
import type { ManagedBy } from '../generated/graphql.js';

/** Says that a configuration file keeps an object, so that it is changed there; nothing for what is kept here. */
export function ManagedBadge({ managedBy }: { managedBy: ManagedBy }) {
  const t = useTranslations('common');
  if (managedBy === 'CONSOLE') return null;
  return (
    <Tooltip label={t('managedInGitHint')}>
      <Badge color="gray" tabIndex={0}>
        {t('managedInGit')}
      </Badge>
    </Tooltip>
  );
}
