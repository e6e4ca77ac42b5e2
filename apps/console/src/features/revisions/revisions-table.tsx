import { Alert, Button, Checkbox, Drawer, Group, Stack, Switch, Text, TextInput } from '@mantine/core';
import { IconHistory, IconInfoCircle } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { AuditLine } from '../../components/audit-line.js';
import { GatedButton, MoreButton } from '../../components/buttons.js';
import { ImpactText } from '../../components/change-review.js';
import { ActionsCell, hidden, NumericCell, numeric, QueryTable } from '../../components/data-table.js';
import { CarryOverChoice } from '../../components/fields.js';
import { Ago } from '../../components/figures.js';
import { Form } from '../../components/forms.js';
import { StateDot } from '../../components/marks.js';
import { EmptyState, Hint, Panel, Problem } from '../../components/page.js';
import type { CarryOver } from '../../generated/graphql.js';
import { useMutationDialog } from '../../lib/mutation.js';
import { formatNumber } from '../../lib/number-format.js';
import {
  PolicyRollbackDocument,
  type RevisionInList,
  revisionDiffQuery,
  revisionsQuery,
  rollbackTrialQuery,
} from './api.js';
import { RevisionDifferences } from './revision-diff.js';

interface RollbackDialogProps {
  toRevision: number;
  /** Newest revision that the user has seen. */
  expectedRevision: number;
  onClose: () => void;
  onDone: (changeId: string | null) => void;
}

export function RollbackDialog({ toRevision, expectedRevision, onClose, onDone }: RollbackDialogProps) {
  const [carryOver, setCarryOver] = useState<CarryOver>('KEEP');
  const [reason, setReason] = useState('');
  const [subjectRules, setSubjectRules] = useState(true);
  const target = { toRevision, expectedRevision, carryOver, subjectRules };
  const trial = useQuery(rollbackTrialQuery(target));
  const diff = useQuery(revisionDiffQuery(expectedRevision, toRevision));
  const { errors, dialog } = useMutationDialog(PolicyRollbackDocument, ['reason']);
  const rollback = dialog({ ...target, reason }, ({ changeId }) => onDone(changeId));
  const problem = rollback.problem ?? trial.error?.message;
  const named = (keys: readonly string[] = []) => (keys.length === 0 ? 'none' : keys.join(', '));
  const plan = trial.data?.rollback;
  return (
    <Drawer opened onClose={onClose} size="lg" title={`Roll back to revision ${formatNumber(toRevision)}`}>
      <Form onSubmit={rollback.onSubmit}>
        <Stack gap="md">
          <Hint>
            Creates a new version of each tier that differs, with the limits of this revision. Tenants stay on
            their tiers. You can roll back this change too.
          </Hint>
          {problem ? (
            <Problem>{problem}</Problem>
          ) : (
            <Alert color="gate" icon={<IconInfoCircle size={18} aria-hidden />}>
              <div>
                <ImpactText impact={trial.data?.impact} />
              </div>
              {plan && (
                <div>
                  Tiers: {named(plan.tiers)}. APIs: {named(plan.apis)}.
                  {plan.subjectRules.length > 0 &&
                    ` Rules for subjects: ${formatNumber(plan.subjectRules.length)}.`}
                </div>
              )}
              {plan && plan.kept.length > 0 && (
                <div>Added later and still in use, kept: {named(plan.kept)}.</div>
              )}
            </Alert>
          )}
          {diff.data && (
            <div>
              <RevisionDifferences diff={diff.data} />
            </div>
          )}
          {diff.data && diff.data.subjectRules.length > 0 && (
            <Checkbox
              label="Restore the rules for subjects of all tenants"
              description="Without it, users, keys and networks denied or exempted since stay so."
              checked={subjectRules}
              onChange={({ currentTarget }) => setSubjectRules(currentTarget.checked)}
            />
          )}
          <CarryOverChoice label="Existing usage" value={carryOver} onChange={setCarryOver} />
          <TextInput
            label="Reason"
            description="Recorded in the audit trail."
            required
            value={reason}
            onChange={({ currentTarget: { value } }) => setReason(value)}
            error={errors.reason}
          />
          <Group justify="flex-end">
            <Button variant="default" size="sm" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" size="sm" loading={rollback.pending} disabled={trial.data === undefined}>
              Roll back
            </Button>
          </Group>
        </Stack>
      </Form>
    </Drawer>
  );
}

interface RevisionsTableProps {
  catalogueOnly: boolean;
  onCatalogueOnly: (catalogueOnly: boolean) => void;
  onCompare: (from: number, to: number) => void;
  /** @param newest the newest revision that is shown */
  onRollback: (to: number, newest: number) => void;
}

export function RevisionsTable(props: RevisionsTableProps) {
  const { catalogueOnly, onCatalogueOnly, onCompare, onRollback } = props;
  const query = useInfiniteQuery(revisionsQuery(catalogueOnly));
  const revisions = query.data?.nodes;
  const newest = revisions?.[0]?.number ?? 0;
  return (
    <Panel
      title="Revisions"
      actions={
        <Switch
          size="xs"
          label="Tier and API changes only"
          checked={catalogueOnly}
          onChange={({ currentTarget }) => onCatalogueOnly(currentTarget.checked)}
        />
      }
      flush
    >
      <QueryTable
        query={query}
        list={revisions}
        rows={6}
        empty={
          <EmptyState icon={IconHistory} title="Nothing published yet">
            The first policy change creates a revision.
          </EmptyState>
        }
        label="Revisions"
        columns={['Revision', 'Changes', 'By', 'Published', numeric('Tenants'), hidden('Actions')]}
      >
        {(revision) => (
          <RevisionRow
            key={revision.number}
            revision={revision}
            newest={newest}
            onCompare={onCompare}
            onRollback={onRollback}
          />
        )}
      </QueryTable>
      <MoreButton list={query} older />
    </Panel>
  );
}

interface RevisionRowProps extends Pick<RevisionsTableProps, 'onCompare' | 'onRollback'> {
  revision: RevisionInList;
  newest: number;
}

function RevisionRow({ revision, newest, onCompare, onRollback }: RevisionRowProps) {
  const { number, publishedAt, size } = revision;
  const isNewest = number === newest;
  return (
    <tr>
      <th scope="row">{number}</th>
      <td style={{ minWidth: 220 }}>
        <Changes revision={revision} />
      </td>
      <td>{[...new Set(revision.changes.map(({ actor }) => actor))].join(', ')}</td>
      <td>
        <Ago at={publishedAt} />
      </td>
      <NumericCell>{revision.tenantCount}</NumericCell>
      <ActionsCell>
        {isNewest && <StateDot tone="good">Current</StateDot>}
        {number > 1 && (
          <Button
            variant="default"
            size="compact-sm"
            onClick={() => (isNewest ? onCompare(number - 1, number) : onCompare(number, newest))}
          >
            Compare
          </Button>
        )}
        {!isNewest && size !== null && (
          <GatedButton
            permission="policy:rollback"
            variant="default"
            size="compact-sm"
            onClick={() => onRollback(number, newest)}
          >
            Roll back
          </GatedButton>
        )}
      </ActionsCell>
    </tr>
  );
}

function Changes({ revision: { cause, changes, changeCount } }: { revision: RevisionInList }) {
  const [first] = changes;
  if (first === undefined) return cause === 'reconcile' ? 'Redis restored' : '–';
  const more = changeCount - 1;
  return (
    <>
      <AuditLine entry={first} />
      {more > 0 && <span style={{ color: 'var(--tg-text-soft)' }}> and {formatNumber(more)} more</span>}
      {first.reason && (
        <Text size="xs" c="dimmed" lineClamp={1}>
          “{first.reason}”
        </Text>
      )}
    </>
  );
}
