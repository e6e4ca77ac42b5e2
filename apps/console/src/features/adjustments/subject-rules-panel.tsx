import { Button, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { GatedButton, MoreButton } from '../../components/buttons.js';
import { CreateModal } from '../../components/create-modal.js';
import { ActionsCell, hidden, QueryTable } from '../../components/data-table.js';
import { ReasonField } from '../../components/fields.js';
import { KeyText, ManagedBadge, StateDot } from '../../components/marks.js';
import { Panel } from '../../components/page.js';
import { useMutationDialog } from '../../lib/mutation.js';
import { formatAgo, formatInZone } from '../../lib/time-format.js';
import type { AdjustmentTenant } from './adjustment-dialog.js';
import { ADJUSTMENT_STATES } from './adjustments-panels.js';
import { SubjectRuleDialog } from './subject-rule-dialog.js';
import { subjectEffectText } from './subject-rule-draft.js';
import {
  type SubjectRuleInList,
  SubjectRuleRemoveDocument,
  subjectRulesKey,
  subjectRulesQuery,
} from './subject-rules-api.js';

const TYPING_MS = 250;

const COLUMNS = ['Subject', 'Limit', 'Effect', 'Status', 'Start and end', 'Reason', hidden('Actions')];

const EMPTY_TEXT =
  'No rules yet. Deny or exempt some users, keys or networks of this tenant, or give them another limit. Example: deny ip 203.0.113.0/24 for a week.';

interface SubjectRulesPanelProps {
  tenant: AdjustmentTenant;
  onChanged: (changeId: string, title: string) => void;
}

type Request = { kind: 'add' } | { kind: 'edit' | 'remove'; rule: SubjectRuleInList };

/** Rules for subjects of a tenant, with dialogs to add, edit and remove them. */
export function SubjectRulesPanel({ tenant, onChanged }: SubjectRulesPanelProps) {
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed.trim(), TYPING_MS);
  const [live, setLive] = useState(true);
  const [request, setRequest] = useState<Request>();
  const filter = { tenantKey: tenant.key, live, search };
  const query = useInfiniteQuery({ ...subjectRulesQuery(filter), placeholderData: keepPreviousData });
  const rules = query.data?.nodes;
  const dialog = { tenant, onChanged, onClose: () => setRequest(undefined) };
  return (
    <Panel
      title="Rules for subjects"
      note={`for some users, keys, networks or other values; times in ${tenant.timeZone}`}
      flush
      actions={
        <>
          <Button
            variant={live ? 'default' : 'light'}
            aria-pressed={!live}
            onClick={() => setLive((now) => !now)}
          >
            Show ended
          </Button>
          <GatedButton permission="overrides:write" onClick={() => setRequest({ kind: 'add' })}>
            Add rule
          </GatedButton>
        </>
      }
    >
      {(typed !== '' || (rules && rules.length > 0)) && (
        <search className="tg-filters">
          <TextInput
            type="search"
            aria-label="Search rules"
            placeholder="Search by pattern or reason"
            size="xs"
            w={340}
            leftSection={<IconSearch size={15} aria-hidden />}
            value={typed}
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          />
        </search>
      )}
      <QueryTable
        query={query}
        list={rules}
        rows={2}
        empty={search === '' ? EMPTY_TEXT : 'No matching rules.'}
        label="Rules for subjects"
        columns={COLUMNS}
      >
        {(rule) => <Row key={rule.id} rule={rule} timeZone={tenant.timeZone} onRequest={setRequest} />}
      </QueryTable>
      <MoreButton list={query} older />
      {request?.kind === 'add' && <SubjectRuleDialog {...dialog} />}
      {request?.kind === 'edit' && <SubjectRuleDialog {...dialog} rule={request.rule} />}
      {request?.kind === 'remove' && <RemoveDialog {...dialog} rule={request.rule} />}
    </Panel>
  );
}

interface RowProps {
  rule: SubjectRuleInList;
  timeZone: string;
  onRequest: (request: Request) => void;
}

function Row({ rule, timeZone, onRequest }: RowProps) {
  const { dimension, pattern, apiKey, limit, effect, status, startsAt, endsAt, reason } = rule;
  const state = ADJUSTMENT_STATES[status];
  const isOpen = status === 'ACTIVE' || status === 'SCHEDULED';
  return (
    <tr>
      <th scope="row">
        <span className="tg-soft">{dimension} </span>
        <KeyText style={{ overflowWrap: 'anywhere' }}>{pattern}</KeyText>{' '}
        <ManagedBadge managedBy={rule.managedBy} />
      </th>
      <td>
        {limit ?? apiKey ?? 'all limits'}
        {limit && <span className="tg-soft"> {apiKey}</span>}
      </td>
      <td>
        {subjectEffectText(effect)}
        {effect.message && <div className="tg-soft">{effect.message}</div>}
      </td>
      <td className="tg-nowrap">
        <StateDot tone={state.tone}>{state.text}</StateDot>
      </td>
      <td className="tg-nowrap">
        {formatInZone(startsAt, timeZone)}
        <div>{endsAt ? `to ${formatInZone(endsAt, timeZone)}` : 'no end date'}</div>
      </td>
      <td>
        {reason}
        <div className="tg-soft">
          {rule.createdBy}, {formatAgo(rule.createdAt)}
        </div>
      </td>
      <ActionsCell>
        {isOpen &&
          (['edit', 'remove'] as const).map((kind) => (
            <GatedButton
              key={kind}
              permission="overrides:write"
              variant="default"
              size="compact-sm"
              aria-label={`${ACTION_TEXT[kind]} rule for ${dimension} ${pattern}`}
              onClick={() => onRequest({ kind, rule })}
            >
              {ACTION_TEXT[kind]}
            </GatedButton>
          ))}
      </ActionsCell>
    </tr>
  );
}

const ACTION_TEXT = { edit: 'Edit', remove: 'Remove' } as const;

interface RemoveDialogProps extends SubjectRulesPanelProps {
  rule: SubjectRuleInList;
  onClose: () => void;
}

function RemoveDialog({ tenant, rule, onClose, onChanged }: RemoveDialogProps) {
  const [reason, setReason] = useState('');
  const { errors, dialog } = useMutationDialog(SubjectRuleRemoveDocument, ['reason'], subjectRulesKey);
  const subject = `${rule.dimension} ${rule.pattern}`;
  const onDone = ({ changeId }: { changeId: string | null }) => {
    onClose();
    if (changeId) onChanged(changeId, `Rule for ${subject} of ${tenant.name} removed`);
  };
  return (
    <CreateModal
      title={`Remove the rule for “${subject}” now?`}
      submitLabel="Remove now"
      onClose={onClose}
      {...dialog({ tenantKey: tenant.key, id: rule.id, reason }, onDone)}
    >
      <Text size="sm">All nodes decide without it within a second.</Text>
      <ReasonField required focused value={reason} onChange={setReason} error={errors.reason} />
    </CreateModal>
  );
}
