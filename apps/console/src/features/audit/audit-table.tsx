import { Alert, Button, Drawer, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconLinkOff, IconListSearch, IconShieldCheck } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { AuditLine } from '../../components/audit-line.js';
import { GatedButton, MoreButton } from '../../components/buttons.js';
import { hidden, QueryTable } from '../../components/data-table.js';
import { Differences } from '../../components/differences.js';
import { Ago } from '../../components/figures.js';
import { EmptyState, Panel, Problem } from '../../components/page.js';
import { describeAction, describeChange, entryText, KNOWN_ACTIONS } from '../../lib/audit-text.js';
import { permissionToRevert } from '../../lib/change-revert.js';
import { formatNumber, plural } from '../../lib/number-format.js';
import { formatMoment } from '../../lib/time-format.js';
import { type AuditEntryInList, type AuditFilter, auditQuery, useAuditVerify } from './api.js';
import classes from './audit.module.css';

/** The audit filter in the address; days are in the reader's time zone. */
export interface AuditSearch {
  tenant?: string;
  actor?: string;
  action?: string;
  entityId?: string;
  changeId?: string;
  from?: string;
  to?: string;
}

interface AuditFiltersProps {
  value: AuditSearch;
  onChange: (value: AuditSearch) => void;
}

const TYPING_MS = 300;

export function AuditFilters({ value, onChange }: AuditFiltersProps) {
  const set = (name: keyof AuditSearch, text: string | null) => {
    const { [name]: _, ...rest } = value;
    onChange(text === null || text.trim() === '' ? rest : { ...rest, [name]: text.trim() });
  };
  const type = useDebouncedCallback(set, TYPING_MS);
  const text = (name: 'tenant' | 'actor' | 'entityId' | 'changeId', label: string) => (
    <TextInput
      key={`${name} ${value[name] === undefined}`}
      className={classes.filter ?? ''}
      size="xs"
      label={label}
      defaultValue={value[name] ?? ''}
      onChange={({ currentTarget }) => type(name, currentTarget.value)}
    />
  );
  const day = (name: 'from' | 'to', label: string) => (
    <TextInput
      className={classes.filter ?? ''}
      size="xs"
      type="date"
      label={label}
      value={value[name] ?? ''}
      onChange={({ currentTarget }) => set(name, currentTarget.value)}
    />
  );
  const actions = [...new Set([...KNOWN_ACTIONS, ...(value.action === undefined ? [] : [value.action])])];
  return (
    <search className="tg-filters" style={{ alignItems: 'flex-end' }}>
      {text('tenant', 'Tenant key')}
      {text('actor', 'Actor')}
      <Select
        className={classes.filter ?? ''}
        size="xs"
        label="Action"
        placeholder="Any action"
        data={actions.sort().map((action) => ({ value: action, label: describeAction(action) }))}
        value={value.action ?? null}
        onChange={(action) => set('action', action)}
        searchable
        clearable
      />
      {text('entityId', 'Object ID')}
      {text('changeId', 'Change ID')}
      {day('from', 'From')}
      {day('to', 'To')}
      {Object.keys(value).length > 0 && (
        <Button variant="subtle" color="gray" onClick={() => onChange({})}>
          Clear filters
        </Button>
      )}
    </search>
  );
}

interface EntryDrawerProps {
  entry: AuditEntryInList;
  onClose: () => void;
  onRevert: () => void;
}

export function EntryDrawer({ entry, onClose, onRevert }: EntryDrawerProps) {
  const permission = permissionToRevert(entry);
  const facts = [
    ['When', formatMoment(entry.at)],
    ['Who', entry.actor],
    ['Reason', entry.reason],
    ['Tenant', entry.tenantKey],
    ['Object', `${entry.entity} ${entry.entityName ?? ''} ${entry.entityId}`],
    ['Change', entry.changeId],
    ['Request', entry.requestId],
    ['IP address', entry.address],
    ['Client', entry.userAgent],
    ['Chain', `${entry.chain} ${entry.sequence}`],
    ['Hash', entry.hash],
  ].filter((fact): fact is [string, string] => typeof fact[1] === 'string' && fact[1] !== '');
  return (
    <Drawer opened onClose={onClose} size="lg" title={entryText(entry)}>
      <Stack gap="lg">
        <Differences before={entry.before} after={entry.after} />
        <dl className={`tg-facts ${classes.facts}`}>
          {facts.map(([name, value]) => (
            <div key={name} style={{ display: 'contents' }}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
        <Group justify="flex-end">
          <Button variant="default" size="sm" onClick={onClose}>
            Close
          </Button>
          {permission && (
            <GatedButton permission={permission} size="sm" variant="default" onClick={onRevert}>
              Revert
            </GatedButton>
          )}
        </Group>
      </Stack>
    </Drawer>
  );
}

interface AuditTableProps {
  search: AuditSearch;
  onSearch: (search: AuditSearch) => void;
  onOpen: (entry: AuditEntryInList) => void;
}

export function AuditTable({ search, onSearch, onOpen }: AuditTableProps) {
  const query = useInfiniteQuery(auditQuery(toFilter(search)));
  const total = query.data?.totalCount;
  return (
    <Panel title="Audit trail" note={total === undefined ? ' ' : plural(total, 'entry', 'entries')} flush>
      <AuditFilters value={search} onChange={onSearch} />
      <QueryTable
        query={query}
        list={query.data?.nodes}
        rows={8}
        empty={
          <EmptyState icon={IconListSearch} title="No matching entries">
            Widen the time range or clear a filter.
          </EmptyState>
        }
        label="Audit trail"
        columns={['When', 'Who', 'Change', hidden('Details')]}
      >
        {(entry) => <EntryRow key={entry.id} entry={entry} onOpen={() => onOpen(entry)} />}
      </QueryTable>
      <MoreButton list={query} older />
    </Panel>
  );
}

function EntryRow({ entry, onOpen }: { entry: AuditEntryInList; onOpen: () => void }) {
  const change = describeChange(entry.before, entry.after);
  return (
    <tr>
      <td>
        <Ago at={entry.at} />
      </td>
      <td style={{ whiteSpace: 'nowrap' }}>{entry.actor}</td>
      <th scope="row" style={{ minWidth: 260 }}>
        <Text span inherit fw={500}>
          <AuditLine entry={entry} />
        </Text>
        {(entry.reason ?? change) && (
          <Text size="xs" c="dimmed" fw={400} lineClamp={1}>
            {change}
            {entry.reason && ` “${entry.reason}”`}
          </Text>
        )}
      </th>
      <td>
        <Button variant="subtle" color="gray" size="compact-sm" onClick={onOpen}>
          Details
        </Button>
      </td>
    </tr>
  );
}

/** Converts days in the reader's time zone to instants; the last day is included. */
export function toFilter({ from, to, ...same }: AuditSearch): AuditFilter {
  return {
    ...same,
    ...(from === undefined ? {} : { from: startOfDay(from, 0) }),
    ...(to === undefined ? {} : { to: startOfDay(to, 1) }),
  };
}

function startOfDay(day: string, later: number): string {
  const start = new Date(`${day}T00:00:00`);
  start.setDate(start.getDate() + later);
  return start.toISOString();
}

type Verify = ReturnType<typeof useAuditVerify>;

export function ChainCheckButton({ verify, tenant }: { verify: Verify; tenant: string | undefined }) {
  return (
    <Button
      variant="default"
      leftSection={<IconShieldCheck size={15} aria-hidden />}
      loading={verify.isPending}
      onClick={() => verify.mutate(tenant)}
    >
      Verify integrity
    </Button>
  );
}

export function ChainCheckResult({ verify: { data, error, reset } }: { verify: Verify }) {
  const close = { withCloseButton: true, onClose: reset };
  if (error)
    return (
      <Problem title="Integrity check did not run" {...close}>
        {error.message}
      </Problem>
    );
  if (!data) return null;
  const { ok, entries, chains, unsignedChains, brokenChains, breaks } = data;
  if (!ok)
    return (
      <Problem
        icon={<IconLinkOff size={18} aria-hidden />}
        title={`Integrity check failed in ${plural(brokenChains, 'chain')}`}
        {...close}
      >
        {breaks.map(({ chain, sequence, problem }) => (
          <div key={chain}>
            {chain}, entry {formatNumber(sequence)}: {problem}
          </div>
        ))}
      </Problem>
    );
  return (
    <Alert role="status" color="gate" icon={<IconShieldCheck size={18} aria-hidden />} {...close}>
      Audit trail verified: {plural(entries, 'entry', 'entries')} in {plural(chains, 'chain')}.{' '}
      {unsignedChains > 0 &&
        `${plural(unsignedChains, 'chain has', 'chains have')} no signed head yet. Entries removed from the end cannot be detected until the next signature, within a minute.`}
    </Alert>
  );
}
