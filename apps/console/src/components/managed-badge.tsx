import { Badge, Tooltip } from '@mantine/core';
import type { ManagedBy } from '../generated/graphql.js';

/** Says that a configuration file keeps an object, so that it is changed there; nothing for what is kept here. */
export function ManagedBadge({ managedBy }: { managedBy: ManagedBy }) {
  if (managedBy === 'CONSOLE') return null;
  return (
    <Tooltip label="Managed by a configuration file. Edit the file and run “tollgate config apply”. It is read-only here.">
      <Badge color="gray" tabIndex={0}>
        Managed in git
      </Badge>
    </Tooltip>
  );
}
