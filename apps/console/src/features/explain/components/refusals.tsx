import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'use-intl';
import { DataTable } from '../../../components/data-table.js';
import { Failure } from '../../../components/failure.js';
import { LinkAnchor } from '../../../components/link.js';
import { Panel, RowsSkeleton } from '../../../components/page.js';
import { formatInstant } from '../../../lib/time-format.js';
import { refusalsQuery } from '../api/why.js';
import classes from './explain.module.css';

/** The last refusals of a tenant, each to be explained. */
export function Refusals({ tenantKey, timeZone }: { tenantKey: string; timeZone: string }) {
  const t = useTranslations('explain');
  const { data, error, refetch } = useQuery(refusalsQuery(tenantKey));
  const columns = [
    { name: t('when') },
    { name: t('operation') },
    { name: t('decidedBy') },
    { name: t('why') },
  ];
  return (
    <Panel title={t('refusals', { tenant: tenantKey })} note={t('refusalsNote')} flush>
      {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
      {!data && !error && <RowsSkeleton rows={3} />}
      {data?.length === 0 && (
        <Text size="sm" c="dimmed" p="md">
          {t('noRefusals')}
        </Text>
      )}
      {data && data.length > 0 && (
        <DataTable label={t('refusals', { tenant: tenantKey })} columns={columns}>
          {data.map(({ id, requestId, at, apiKey, operation, limitName, reason }) => (
            <tr key={id}>
              <th scope="row">
                <LinkAnchor to="/why" search={{ request: requestId }}>
                  {formatInstant(at, timeZone)}
                </LinkAnchor>
              </th>
              <td>
                {operation} <span className={classes.soft}>{apiKey}</span>
              </td>
              <td>{limitName}</td>
              <td>{t(`reasons.${reason}`)}</td>
            </tr>
          ))}
        </DataTable>
      )}
    </Panel>
  );
}
