import { Badge, Text } from '@mantine/core';
import { DataTable, NumericCell } from '../../../components/data-table.js';
import { Panel } from '../../../components/page.js';
import { StateDot } from '../../../components/state-dot.js';
import { DECISION_REASON_TEXT } from '../../../lib/labels.js';
import { formatNumber } from '../../../lib/number-format.js';
import { formatInZone } from '../../../lib/time-format.js';
import type { Decision } from '../api/why.js';
import classes from './explain.module.css';

/** A limit as it stands now. */
export interface LimitNow {
  apiKey: string;
  limitName: string;
  limit: number;
  live: { remaining: number; resetAt: string } | null;
}

interface CheckedLimitsProps {
  decision: Decision;
  limits: readonly LimitNow[];
  timeZone: string;
}

/** Every limit that a decision asked: what was left of it then, what is now, and which one decided. */
export function CheckedLimits({ decision, limits, timeZone }: CheckedLimitsProps) {
  const { policies, reason, limitName: winner, apiKey } = decision;
  const columns = [
    { name: 'Limit' },
    { name: 'Result' },
    { name: 'Left then', numeric: true },
    { name: 'Left now', numeric: true },
    { name: 'Resets' },
  ];
  return (
    <Panel title="Checked limits" note="remaining then and now" flush>
      {policies.length === 0 ? (
        <Text size="sm" c="dimmed" p="md">
          No limit was checked: {DECISION_REASON_TEXT[reason]}.
        </Text>
      ) : (
        <DataTable label="Checked limits" columns={columns}>
          {policies.map(({ limitName, limit, remaining, mode, success }) => {
            const now = limits.find((one) => one.apiKey === apiKey && one.limitName === limitName);
            const isWinner = limitName === winner && !success;
            return (
              <tr key={`${limitName}/${mode}`} className={isWinner ? classes.winner : undefined}>
                <th scope="row">
                  {limitName}{' '}
                  {mode !== 'ENFORCE' && (
                    <Badge color="gray">{mode === 'SHADOW' ? 'shadow' : 'candidate'}</Badge>
                  )}
                  {limitName === winner && <Badge color={success ? 'gate' : 'ember'}>decided</Badge>}
                </th>
                <td>
                  <StateDot tone={success ? 'good' : 'bad'}>{success ? 'allowed' : 'denied'}</StateDot>
                </td>
                <NumericCell>
                  {formatNumber(remaining)} of {formatNumber(limit)}
                </NumericCell>
                <NumericCell>
                  {now?.live
                    ? `${formatNumber(now.live.remaining)} of ${formatNumber(now.limit)}`
                    : now
                      ? 'tracked per subject'
                      : 'no longer applies'}
                </NumericCell>
                <td>{now?.live ? formatInZone(now.live.resetAt, timeZone) : '–'}</td>
              </tr>
            );
          })}
        </DataTable>
      )}
    </Panel>
  );
}
