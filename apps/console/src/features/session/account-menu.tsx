import { Avatar, Menu, Text, UnstyledButton } from '@mantine/core';
import { IconLogout, IconShieldLock } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { notifyFailure } from '../../lib/graphql-request.js';
import { MEMBER_ROLE_TEXT, OPERATOR_ROLE_TEXT } from '../../lib/labels.js';
import { useSingleMutation } from '../../lib/mutation.js';
import { forgetSession } from '../../lib/query-client.js';
import { type Viewer, viewerQuery } from '../../lib/viewer.js';
import classes from './account-menu.module.css';
import { signOut } from './api.js';

export function AccountMenu() {
  const { data: viewer } = useQuery(viewerQuery);
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const { tenantKey } = useParams({ strict: false });
  const openSecurity = () =>
    void (viewer?.role === null && tenantKey !== undefined
      ? navigate({ to: '/portal/$tenantKey/account', params: { tenantKey } })
      : navigate({ to: '/account' }));
  const leaving = useSingleMutation({
    mutationFn: signOut,
    onSuccess: () => {
      forgetSession(queryClient);
      void navigate({ to: '/sign-in' });
    },
    onError: notifyFailure('Not signed out'),
  });
  return (
    <Menu position="top-start" width={212} shadow="md">
      <Menu.Target>
        <UnstyledButton className={classes.account}>
          <Avatar
            size={28}
            radius="xl"
            variant="filled"
            color="gate.7"
            name={viewer?.name ?? ''}
            alt=""
            aria-hidden
          />
          <span style={{ minWidth: 0 }}>
            <Text span display="block" size="sm" fw={500} truncate>
              {viewer?.name}
            </Text>
            <Text span display="block" size="xs" c="dimmed" truncate>
              {viewer && describeRole(viewer)}
            </Text>
          </span>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{viewer?.email}</Menu.Label>
        <Menu.Item leftSection={<IconShieldLock size={15} aria-hidden />} onClick={openSecurity}>
          Account security
        </Menu.Item>
        <Menu.Item leftSection={<IconLogout size={15} aria-hidden />} onClick={() => leaving.mutate()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** The viewer's role as an operator or tenant member. */
function describeRole({ role, memberships: [first, ...others] }: Viewer): string {
  if (role !== null) return OPERATOR_ROLE_TEXT[role];
  if (first === undefined) return 'In no organization yet';
  return others.length > 0
    ? `In ${others.length + 1} organizations`
    : `${MEMBER_ROLE_TEXT[first.role]}, ${first.tenantName}`;
}
