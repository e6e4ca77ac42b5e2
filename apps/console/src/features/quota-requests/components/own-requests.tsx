import { Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { GatedButton } from '../../../components/buttons.js';
import { errorsByField } from '../../../lib/graphql-request.js';
import { formatNumber } from '../../../lib/number-format.js';
import { formatAgo } from '../../../lib/time-format.js';
import { useQuotaRequestAnswer } from '../api/quota-request-own.js';
import type { QuotaRequestRow } from '../api/quota-requests.js';
import { RequestStatusDot } from './request-status.js';
import classes from './requests.module.css';
import { Answer } from './requests-inbox.js';

/** What a tenant has asked for, and what it can still do about it. */
export function OwnRequests({ requests }: { requests: readonly QuotaRequestRow[] }) {
  const answer = useQuotaRequestAnswer();
  const { form } = errorsByField(answer.error, []);
  const act = (request: QuotaRequestRow, step: 'accept' | 'withdraw') =>
    answer.mutate(
      { step, tenantKey: request.tenant.key, requestId: request.id, expectedVersion: request.version },
      {
        onSuccess: () =>
          notifications.show({
            message: step === 'accept' ? 'Limit raised' : 'Request withdrawn',
            color: 'gate',
          }),
      },
    );
  if (requests.length === 0) {
    return (
      <Text c="dimmed" size="sm" p="md">
        No requests yet.
      </Text>
    );
  }
  return (
    <>
      {form && (
        <Text role="alert" c="ember" size="sm" p="md" pb={0}>
          {form}
        </Text>
      )}
      <ul className={classes.list}>
        {requests.map((request) => {
          const { id, status, apiKey, limit, current, wanted, offered, createdAt, tenant } = request;
          const own = { permission: 'quota-requests:write', tenantKey: tenant.key } as const;
          return (
            <li key={id} className={classes.request} style={{ gridTemplateColumns: 'minmax(0, 1fr)' }}>
              <div>
                <div className={classes.head}>
                  <span className="tg-number">
                    <span className={classes.soft}>{formatNumber(current)}</span> →{' '}
                    <strong>{formatNumber(wanted)}</strong>
                  </span>
                  <span>
                    {limit} <span className={classes.soft}>{apiKey}</span>
                  </span>
                  <RequestStatusDot status={status} />
                  <Text span size="sm" c="dimmed">
                    {formatAgo(createdAt)}
                  </Text>
                </div>
                <Answer request={request} />
                {(status === 'OPEN' || status === 'COUNTERED') && (
                  <div className={classes.actions}>
                    {status === 'COUNTERED' && (
                      <GatedButton {...own} onClick={() => act(request, 'accept')}>
                        Accept {formatNumber(offered ?? 0)}
                      </GatedButton>
                    )}
                    <GatedButton {...own} variant="default" onClick={() => act(request, 'withdraw')}>
                      Withdraw
                    </GatedButton>
                  </div>
                )}
              </div>
            </li>
          );
        })}
      </ul>
    </>
  );
}
