import { Alert, Group, Select, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconAlertCircle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { GatedButton } from '../../components/buttons.js';
import { errorsByField } from '../../lib/graphql-request.js';
import { USAGE_INTERVAL_TEXT } from '../../lib/labels.js';
import { formatNumber } from '../../lib/number-format.js';
import { formatCount, parseCount } from '../../lib/rate.js';
import { formatAgo } from '../../lib/time-format.js';
import { peakQuery, type QuotaRequestRow, useQuotaRequestAnswer, useQuotaRequestCreate } from './api.js';
import { admittedIn, intervalFor, suggestWanted } from './peak.js';
import classes from './requests.module.css';
import { Answer, PeakFacts, RequestStatusDot } from './requests-inbox.js';

/** A tenant's requests and their actions. */
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

const DAY_MS = 86_400_000;

/** A limit for which an increase can be requested. */
export interface AskableLimit {
  apiKey: string;
  limitName: string;
  /** How much it is, as people read it. */
  amount: string;
  limit: number;
  /** Undefined for calendar quotas and concurrency limits. */
  windowMs: number | undefined;
}

interface RequestFormProps {
  tenantKey: string;
  limits: readonly AskableLimit[];
}

const idOf = ({ apiKey, limitName }: AskableLimit) => `${apiKey}/${limitName}`;

/** Requests a higher limit; suggests a number based on peak usage. */
export function RequestForm({ tenantKey, limits }: RequestFormProps) {
  const [chosen, setChosen] = useState<string>();
  const [typed, setTyped] = useState<string>();
  const [why, setWhy] = useState('');
  const [problem, setProblem] = useState<string>();
  const create = useQuotaRequestCreate();
  const { byField, form } = errorsByField(create.error, ['limit', 'wanted', 'why']);
  const asked = limits.find((limit) => idOf(limit) === chosen) ?? limits[0];
  const windowMs = asked?.windowMs ?? DAY_MS;
  const interval = intervalFor(windowMs);
  const { data: peak } = useQuery({
    ...peakQuery({ tenantKey, apiKey: asked?.apiKey ?? '', limitName: asked?.limitName ?? '' }, interval),
    enabled: asked !== undefined,
  });
  if (!asked) return null;
  const admitted = asked.windowMs === undefined ? undefined : admittedIn(asked.limit, windowMs, interval);
  // In units of the limit's own window.
  const top = peak?.top && admitted !== undefined ? (peak.top.units * asked.limit) / admitted : undefined;
  const isByPeak = top !== undefined && top * 1.25 > asked.limit;
  const wanted = typed ?? formatCount(suggestWanted(asked.limit, top));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const number = parseCount(wanted);
    setProblem(number.ok ? undefined : number.message);
    if (!number.ok) return;
    const { apiKey, limitName } = asked;
    create.mutate(
      { tenantKey, apiKey, limit: limitName, wanted: number.value, why: why.trim() },
      {
        onSuccess: () => {
          notifications.show({
            message: 'Request sent. We will email you when it is reviewed.',
            color: 'gate',
          });
          setTyped(undefined);
          setWhy('');
        },
      },
    );
  };
  return (
    <form onSubmit={submit} noValidate className={classes.ask}>
      <Stack gap="md">
        <Select
          label="Limit"
          description={`Currently ${asked.amount}.`}
          data={limits.map((limit) => ({
            value: idOf(limit),
            label: `${limit.limitName} · ${limit.apiKey}`,
          }))}
          value={idOf(asked)}
          onChange={(value) => {
            if (value) setChosen(value);
            setTyped(undefined);
            create.reset();
          }}
          allowDeselect={false}
          searchable
          error={byField.limit}
        />
        <TextInput
          label="New limit"
          description={
            isByPeak
              ? `Your peak in ${USAGE_INTERVAL_TEXT[interval]} was ${formatNumber(peak?.top?.units ?? 0)}. This leaves 25% headroom.`
              : 'Twice the current limit. Enter another number if you need it.'
          }
          inputMode="numeric"
          value={wanted}
          onChange={({ currentTarget: { value } }) => setTyped(value)}
          error={problem ?? byField.wanted}
        />
        <Textarea
          label="Reason"
          description="Explain why you need it and for how long."
          required
          value={why}
          onChange={({ currentTarget: { value } }) => setWhy(value)}
          maxLength={500}
          autosize
          minRows={3}
          error={byField.why}
        />
        {form && (
          <Alert role="alert" color="ember" icon={<IconAlertCircle size={18} aria-hidden />}>
            {form}
          </Alert>
        )}
        <Group>
          <SubmitButton tenantKey={tenantKey} pending={create.isPending} label="Send request" />
        </Group>
      </Stack>
      <div>
        <p className={classes.peakTitle}>Your peak</p>
        <PeakFacts
          tenantKey={tenantKey}
          apiKey={asked.apiKey}
          limitName={asked.limitName}
          interval={interval}
          limit={admitted}
        />
      </div>
    </form>
  );
}

/** Submits the form, also by keyboard; names the required role without the permission. */
function SubmitButton({ tenantKey, pending, label }: { tenantKey: string; pending: boolean; label: string }) {
  return (
    <GatedButton
      permission="quota-requests:write"
      tenantKey={tenantKey}
      size="sm"
      loading={pending}
      onClick={({ currentTarget }) => currentTarget.form?.requestSubmit()}
    >
      {label}
    </GatedButton>
  );
}
