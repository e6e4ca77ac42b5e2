import { Button, Select, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { GatedButton, MoreButton } from '../../components/buttons.js';
import { CreateModal } from '../../components/create-modal.js';
import { ActionsCell, hidden, QueryTable } from '../../components/data-table.js';
import { ReasonField } from '../../components/fields.js';
import { KeyText, ManagedBadge, StateDot } from '../../components/marks.js';
import { Panel } from '../../components/page.js';
import type { SubjectEffectKind } from '../../generated/graphql.js';
import { mutationCall, useMutationDialog } from '../../lib/mutation.js';
import { formatAgo, formatInZone } from '../../lib/time-format.js';
import { ADJUSTMENT_STATES } from './adjustments-panels.js';
import { SUBJECT_EFFECTS, SubjectRuleDialog, type SubjectRuleDialogProps } from './subject-rule-dialog.js';
import { kindsFor, subjectEffectText } from './subject-rule-draft.js';
import {
  type SubjectRuleInList,
  SubjectRuleRemoveDocument,
  subjectRulesKey,
  subjectRulesQuery,
} from './subject-rules-api.js';

const TYPING_MS = 250;

const COLUMNS = ['Subject', 'Limit', 'Effect', 'Status', 'Start and end', 'Reason', hidden('Actions')];

interface SubjectRulesPanelProps extends Pick<SubjectRuleDialogProps, 'owner' | 'onChanged' | 'aside'> {
  title: string;
  note?: ReactNode;
  /** Shown without rules. */
  empty: ReactNode;
}

type Request = { kind: 'add' } | { kind: 'edit' | 'remove'; rule: SubjectRuleInList };

/** Rules for subjects of a tenant, or of all tenants, with dialogs to add, edit and remove them. */
export function SubjectRulesPanel({ owner, title, note, empty, onChanged, aside }: SubjectRulesPanelProps) {
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed.trim(), TYPING_MS);
  const [kind, setKind] = useState<SubjectEffectKind | null>(null);
  const [live, setLive] = useState(true);
  const [request, setRequest] = useState<Request>();
  const filter = { tenantKey: owner.key, live, kind, search };
  const query = useInfiniteQuery({ ...subjectRulesQuery(filter), placeholderData: keepPreviousData });
  const rules = query.data?.nodes;
  const isFiltered = typed !== '' || kind !== null;
  const dialog = { owner, onChanged, aside, onClose: () => setRequest(undefined) };
  return (
    <Panel
      title={title}
      note={note}
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
      {(isFiltered || (rules && rules.length > 0)) && (
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
          <Select
            aria-label="Effect"
            placeholder="Any effect"
            size="xs"
            w={150}
            clearable
            clearButtonProps={{ 'aria-label': 'Any effect' }}
            data={kindsFor(owner).map((one) => ({ value: one, label: SUBJECT_EFFECTS[one] }))}
            value={kind}
            onChange={setKind}
          />
        </search>
      )}
      <QueryTable
        query={query}
        list={rules}
        rows={2}
        empty={isFiltered ? 'No matching rules.' : empty}
        label={title}
        columns={COLUMNS}
      >
        {(rule) => <Row key={rule.id} rule={rule} timeZone={owner.timeZone} onRequest={setRequest} />}
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
        {rule.removedAt && (
          <div className="tg-soft">
            ended by {rule.removedBy}, {formatAgo(rule.removedAt)}
          </div>
        )}
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

interface RemoveDialogProps extends SubjectRuleDialogProps {
  rule: SubjectRuleInList;
}

function RemoveDialog({ owner, rule, onClose, onChanged, aside }: RemoveDialogProps) {
  const [reason, setReason] = useState('');
  const { errors, dialog } = useMutationDialog(SubjectRuleRemoveDocument, ['reason'], subjectRulesKey);
  const subject = `${rule.dimension} ${rule.pattern}`;
  const input = { tenantKey: owner.key, id: rule.id, reason };
  const onDone = ({ changeId }: { changeId: string | null }) => {
    onClose();
    if (changeId) onChanged(changeId, `Rule for ${subject} of ${owner.name} removed`);
  };
  return (
    <CreateModal
      title={`Remove the rule for “${subject}” now?`}
      submitLabel="Remove now"
      onClose={onClose}
      {...dialog(input, onDone)}
      aside={reason !== '' && aside?.(mutationCall(SubjectRuleRemoveDocument, input), onClose)}
    >
      <Text size="sm">All nodes decide without it within a second.</Text>
      <ReasonField required focused value={reason} onChange={setReason} error={errors.reason} />
    </CreateModal>
  );
}
