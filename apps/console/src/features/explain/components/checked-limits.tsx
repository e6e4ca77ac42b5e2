import { Badge, Text } from '@mantine/core';
import { useTranslations } from 'use-intl';
import { DataTable, NumericCell } from '../../../components/data-table.js';
import { Panel } from '../../../components/page.js';
import { StateDot } from '../../../components/state-dot.js';
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
  const t = useTranslations('explain');
  const { policies, reason, limitName: winner, apiKey } = decision;
  const columns = [
    { name: t('limit') },
    { name: t('verdict') },
    { name: t('leftThen'), numeric: true },
    { name: t('leftNow'), numeric: true },
    { name: t('resets') },
  ];
  return (
    <Panel title={t('checked')} note={t('checkedNote')} flush>
      {policies.length === 0 ? (
        <Text size="sm" c="dimmed" p="md">
          {t('noLimits', { reason: t(`reasons.${reason}`) })}
        </Text>
      ) : (
        <DataTable label={t('checked')} columns={columns}>
          {policies.map(({ limitName, limit, remaining, mode, success }) => {
            const now = limits.find((one) => one.apiKey === apiKey && one.limitName === limitName);
            const isWinner = limitName === winner && !success;
            return (
              <tr key={`${limitName}/${mode}`} className={isWinner ? classes.winner : undefined}>
                <th scope="row">
                  {limitName}{' '}
                  {mode !== 'ENFORCE' && (
                    <Badge color="gray">{mode === 'SHADOW' ? t('shadow') : t('candidate')}</Badge>
                  )}
                  {limitName === winner && <Badge color={success ? 'gate' : 'ember'}>{t('decided')}</Badge>}
                </th>
                <td>
                  <StateDot tone={success ? 'good' : 'bad'}>{success ? t('passes') : t('refuses')}</StateDot>
                </td>
                <NumericCell>
                  {t('ofLimit', { left: formatNumber(remaining), limit: formatNumber(limit) })}
                </NumericCell>
                <NumericCell>
                  {now?.live
                    ? t('ofLimit', { left: formatNumber(now.live.remaining), limit: formatNumber(now.limit) })
                    : t(now ? 'notNow' : 'gone')}
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
