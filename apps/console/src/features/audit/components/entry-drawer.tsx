import { Button, Drawer, Group, Stack } from '@mantine/core';
import { GatedButton } from '../../../components/gated-button.js';
import { KeyText } from '../../../components/key-text.js';
import { describeAction, differencesOf } from '../../../lib/audit-text.js';
import { formatMoment } from '../../../lib/time-format.js';
import type { AuditEntryInList } from '../api/audit-entries.js';
import { permissionToRevert } from '../revertible.js';
import classes from './audit.module.css';

interface EntryDrawerProps {
  entry: AuditEntryInList;
  onClose: () => void;
  onRevert: () => void;
}

/** One entry in full: every value before and after, who, from where, and its place in the chain. */
export function EntryDrawer({ entry, onClose, onRevert }: EntryDrawerProps) {
  const permission = permissionToRevert(entry);
  const facts = [
    ['When', formatMoment(entry.at)],
    ['Who', entry.actor],
    ['Reason', entry.reason],
    ['Tenant', entry.tenantKey],
    ['Object', `${entry.entity} ${entry.entityId}`],
    ['Change', entry.changeId],
    ['Request', entry.requestId],
    ['IP address', entry.address],
    ['Client', entry.userAgent],
    ['Chain', `${entry.chain} ${entry.sequence}`],
    ['Hash', entry.hash],
  ].filter((fact): fact is [string, string] => typeof fact[1] === 'string' && fact[1] !== '');
  return (
    <Drawer opened onClose={onClose} position="right" size="lg" title={describeAction(entry.action)}>
      <Stack gap="lg">
        <Differences before={entry.before} after={entry.after} />
        <dl className={classes.facts}>
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

function Differences({ before, after }: { before: unknown; after: unknown }) {
  const differences = differencesOf(before, after);
  if (differences.length === 0) return <span style={{ fontSize: '0.8125rem' }}>No values changed.</span>;
  return (
    <table className={classes.diff}>
      <thead>
        <tr>
          <th scope="col">Field</th>
          <th scope="col">Before</th>
          <th scope="col">After</th>
        </tr>
      </thead>
      <tbody>
        {differences.map(({ path, before: from, after: to }) => (
          <tr key={path}>
            <th scope="row">
              <KeyText>{path}</KeyText>
            </th>
            <td className={from === undefined ? undefined : classes.before}>{from ?? '–'}</td>
            <td className={to === undefined ? undefined : classes.after}>{to ?? '–'}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
