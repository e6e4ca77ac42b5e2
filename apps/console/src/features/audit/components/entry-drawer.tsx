import { Button, Drawer, Group, Stack } from '@mantine/core';
import { useTranslations } from 'use-intl';
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
  const t = useTranslations('audit');
  const common = useTranslations('common');
  const permission = permissionToRevert(entry);
  const facts = [
    [t('when'), formatMoment(entry.at)],
    [t('who'), entry.actor],
    [t('reason'), entry.reason],
    [t('tenant'), entry.tenantKey],
    [t('object'), `${entry.entity} ${entry.entityId}`],
    [t('change'), entry.changeId],
    [t('request'), entry.requestId],
    [t('address'), entry.address],
    [t('program'), entry.userAgent],
    [t('chain'), `${entry.chain} ${entry.sequence}`],
    [t('hash'), entry.hash],
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
            {common('close')}
          </Button>
          {permission && (
            <GatedButton permission={permission} size="sm" variant="default" onClick={onRevert}>
              {t('revert')}
            </GatedButton>
          )}
        </Group>
      </Stack>
    </Drawer>
  );
}

function Differences({ before, after }: { before: unknown; after: unknown }) {
  const t = useTranslations('audit');
  const differences = differencesOf(before, after);
  if (differences.length === 0) return <span style={{ fontSize: '0.8125rem' }}>{t('noValues')}</span>;
  return (
    <table className={classes.diff}>
      <thead>
        <tr>
          <th scope="col">{t('field')}</th>
          <th scope="col">{t('before')}</th>
          <th scope="col">{t('after')}</th>
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
