import { Button, type ButtonProps, Group, Tooltip } from '@mantine/core';
import { IconChartAreaLine, IconPlus, IconTable } from '@tabler/icons-react';
import type { MouseEventHandler } from 'react';
import { type Permission, usePermission } from '../lib/viewer.js';

interface GatedButtonProps extends Omit<ButtonProps, 'disabled'> {
  permission: Permission;
  /** Also considers the viewer's membership in this tenant. */
  tenantKey?: string;
  onClick: MouseEventHandler<HTMLButtonElement>;
  disabled?: boolean;
}

/**
 * A button that requires a permission. Without it the button stays visible and focusable, does nothing, and names
 * the roles that have the permission.
 */
export function GatedButton({
  permission,
  tenantKey,
  onClick,
  disabled = false,
  ...props
}: GatedButtonProps) {
  const { allowed, why } = usePermission(permission, tenantKey);
  if (allowed) return <Button {...props} disabled={disabled} onClick={onClick} />;
  return (
    <Tooltip label={why} disabled={why === undefined}>
      <Button {...props} data-disabled aria-disabled onClick={(event) => event.preventDefault()} />
    </Tooltip>
  );
}

/** Opens the form of a new object. */
export const AddButton = (props: GatedButtonProps) => (
  <GatedButton leftSection={<IconPlus size={15} aria-hidden />} {...props} />
);

interface TableToggleProps {
  asTable: boolean;
  onChange: (asTable: boolean) => void;
}

/** Switches a panel between its chart and the same data as a table. */
export function TableToggle({ asTable, onChange }: TableToggleProps) {
  const Icon = asTable ? IconChartAreaLine : IconTable;
  return (
    <Button variant="default" leftSection={<Icon size={15} aria-hidden />} onClick={() => onChange(!asTable)}>
      {asTable ? 'View as chart' : 'View as table'}
    </Button>
  );
}

interface MoreButtonProps {
  /** An infinite query. */
  list: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown };
  older?: boolean;
}

/** Loads the next page of a list; renders nothing on the last page. */
export function MoreButton({ list, older = false }: MoreButtonProps) {
  if (!list.hasNextPage) return null;
  return (
    <Group justify="center" p="sm">
      <Button variant="default" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
        {older ? 'Show older' : 'Show more'}
      </Button>
    </Group>
  );
}
