import { Button, Menu } from '@mantine/core';
import { IconChevronDown, IconDownload } from '@tabler/icons-react';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Page } from '../../components/page.js';
import type { AuditEntryInList } from '../../features/audit/api.js';
import { useAuditVerify } from '../../features/audit/api.js';
import {
  AuditTable,
  ChainCheckButton,
  ChainCheckResult,
  EntryDrawer,
  toFilter,
} from '../../features/audit/audit-table.js';
import RevertChange from '../../features/audit/revert-change.js';
import { followChange } from '../../features/nodes/follow-change.js';

const route = getRouteApi('/shell/audit');

export function AuditPage() {
  const search = route.useSearch();
  const navigate = useNavigate({ from: '/audit' });
  const verify = useAuditVerify();
  const [opened, setOpened] = useState<AuditEntryInList>();
  const [reverting, setReverting] = useState<AuditEntryInList>();
  const fileOf = (format: string) => {
    const given = Object.entries({ ...toFilter(search), format });
    return `/api/audit/export?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
  };
  return (
    <Page
      title="Audit trail"
      description="Every change: who made it, when, before and after values, and why. Entries are immutable."
      actions={
        <>
          <ChainCheckButton verify={verify} tenant={search.tenant} />
          <Menu position="bottom-end">
            <Menu.Target>
              <Button
                variant="default"
                leftSection={<IconDownload size={15} aria-hidden />}
                rightSection={<IconChevronDown size={14} aria-hidden />}
              >
                Export
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item component="a" href={fileOf('csv')} download>
                CSV
              </Menu.Item>
              <Menu.Item component="a" href={fileOf('jsonl')} download>
                JSON lines
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
        </>
      }
    >
      <ChainCheckResult verify={verify} />
      <AuditTable
        search={search}
        onSearch={(next) => void navigate({ search: next, replace: true })}
        onOpen={setOpened}
      />
      {opened && (
        <EntryDrawer
          entry={opened}
          onClose={() => setOpened(undefined)}
          onRevert={() => {
            setReverting(opened);
            setOpened(undefined);
          }}
        />
      )}
      {reverting && (
        <RevertChange
          entry={reverting}
          onClose={() => setReverting(undefined)}
          onReverted={(changeId, title) => {
            setReverting(undefined);
            followChange(changeId, title);
          }}
        />
      )}
    </Page>
  );
}
