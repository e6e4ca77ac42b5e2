import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { LimitPolicy } from '@tollgate/contracts';
import { GatedButton } from '../../components/buttons.js';
import { ActionsCell, hidden, NumericCell, numeric, QueryTable } from '../../components/data-table.js';
import { Ago } from '../../components/figures.js';
import { Panel } from '../../components/page.js';
import { identityOf } from '../../lib/limit-diff.js';
import { describeCandidate } from '../../lib/limit-text.js';
import { formatNumber, formatPercent } from '../../lib/number-format.js';
import { formatAmount } from '../../lib/rate.js';
import { usePermission } from '../../lib/viewer.js';
import { type CandidateComparison, candidateQuery, policiesOf, type TierDetail } from './api.js';

interface CandidatePanelProps {
  tier: TierDetail;
  /** Replaces a limit by its candidate in the edits; undefined if the tier cannot be edited. */
  onPromote: ((limit: LimitPolicy) => void) | undefined;
}

/** Limits of the published version beside their candidates; renders nothing without any. */
export function CandidatePanel({ tier, onPromote }: CandidatePanelProps) {
  const tried = policiesOf(tier.published).filter(({ candidate }) => candidate);
  const { allowed } = usePermission('usage:read');
  const query = useQuery({ ...candidateQuery(tier.key, tier.published?.number), enabled: allowed });
  if (tried.length === 0 || !allowed) return null;
  const [first] = query.data ?? [];
  const limitOf = ({ apiKey, limitName }: CandidateComparison) =>
    tried.find(({ api, name }) => api === apiKey && name === limitName);
  return (
    <Panel
      title="Candidates"
      note={
        <>
          Denied share of the same decisions. Requests that a limit denies charge no counter, so the share of
          a higher candidate is a lower bound.
          {first && first.count > 0 && (
            <>
              {' '}
              Counting began <Ago at={first.from} />.
            </>
          )}
        </>
      }
      flush
    >
      <QueryTable
        label="Candidates"
        query={query}
        list={query.data}
        rows={tried.length}
        empty="No candidates."
        columns={[
          'Limit',
          numeric('Decisions'),
          numeric('Live denied'),
          numeric('Candidate denied'),
          hidden('Actions'),
        ]}
      >
        {(row) => (
          <CandidateRow
            key={`${row.apiKey} ${row.limitName}`}
            row={row}
            limit={limitOf(row)}
            onPromote={onPromote}
          />
        )}
      </QueryTable>
    </Panel>
  );
}

interface CandidateRowProps {
  row: CandidateComparison;
  limit: LimitPolicy | undefined;
  onPromote: CandidatePanelProps['onPromote'];
}

function CandidateRow({ row, limit, onPromote }: CandidateRowProps) {
  if (!limit) return null;
  const share = (denied: number) => (row.count === 0 ? '–' : formatPercent(denied / row.count));
  return (
    <tr>
      <td>
        {row.limitName} <span className="tg-soft">{row.apiKey}</span>
        <Text size="xs" c="dimmed">
          {formatAmount(limit)} · candidate {describeCandidate(limit)}
        </Text>
      </td>
      <NumericCell>{formatNumber(row.count)}</NumericCell>
      <NumericCell>{share(row.liveDenied)}</NumericCell>
      <NumericCell>
        {share(row.candidateDenied)}
        <Text size="xs" c="dimmed">
          {row.count === 0
            ? 'No decisions yet'
            : `${formatNumber(row.newlyDenied)} newly denied, ${formatNumber(row.newlyAllowed)} newly allowed`}
        </Text>
      </NumericCell>
      <ActionsCell>
        <GatedButton
          permission="tiers:write"
          variant="default"
          size="xs"
          disabled={onPromote === undefined}
          aria-label={`Promote the candidate of ${identityOf(limit)}`}
          onClick={() => onPromote?.(limit)}
        >
          Promote
        </GatedButton>
      </ActionsCell>
    </tr>
  );
}
