import { Select, Stack, Text, Textarea } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { LimitPolicy } from '@tollgate/contracts';
import { amountInWords } from '@tollgate/contracts/limit-title';
import { useState } from 'react';
import { GatedButton } from '../../components/buttons.js';
import { Form } from '../../components/forms.js';
import { EmptyText, Problem } from '../../components/page.js';
import { NumberText } from '../../components/typed-field.js';
import { useLimitTitle } from '../../lib/customer-page.js';
import { notifyDone } from '../../lib/graphql-request.js';
import { ruleOf } from '../../lib/limit-fields.js';
import { limitHistoryQuery, ofLimit, peakOf, suggestLimit } from '../../lib/limit-history.js';
import { useInputMutation, useMutationDialog } from '../../lib/mutation.js';
import { formatNumber } from '../../lib/number-format.js';
import { formatCount, parseCount } from '../../lib/rate.js';
import { formatAgo } from '../../lib/time-format.js';
import {
  QuotaRequestAcceptDocument,
  QuotaRequestCreateDocument,
  type QuotaRequestRow,
  QuotaRequestWithdrawDocument,
  quotaRequestsKey,
} from './api.js';
import classes from './requests.module.css';
import { Answer, PeakFacts, RequestStatusDot } from './requests-inbox.js';

export function OwnRequests({ requests }: { requests: readonly QuotaRequestRow[] }) {
  const titleOf = useLimitTitle();
  const accept = useInputMutation(QuotaRequestAcceptDocument);
  const withdraw = useInputMutation(QuotaRequestWithdrawDocument);
  const problem = accept.error?.message ?? withdraw.error?.message;
  if (requests.length === 0) return <EmptyText>No requests yet.</EmptyText>;
  return (
    <>
      {problem && (
        <Text role="alert" c="ember" size="sm" p="md" pb={0}>
          {problem}
        </Text>
      )}
      <ul className="tg-list">
        {requests.map((request) => {
          const { id, status, apiKey, limit, current, wanted, offered, createdAt, tenant, version } = request;
          const input = { tenantKey: tenant.key, requestId: id, expectedVersion: version };
          const own = { permission: 'quota-requests:write', tenantKey: tenant.key } as const;
          return (
            <li key={id} className={classes.request} style={{ gridTemplateColumns: 'minmax(0, 1fr)' }}>
              <div>
                <div className={classes.head}>
                  <span className="tg-number">
                    <span className="tg-soft">{formatNumber(current)}</span> →{' '}
                    <strong>{formatNumber(wanted)}</strong>
                  </span>
                  <span>{titleOf?.(apiKey, limit) ?? limit}</span>
                  <RequestStatusDot status={status} />
                  <Text span size="sm" c="dimmed">
                    {formatAgo(createdAt)}
                  </Text>
                </div>
                <Answer request={request} />
                {(status === 'OPEN' || status === 'COUNTERED') && (
                  <div className={classes.actions}>
                    {status === 'COUNTERED' && (
                      <GatedButton
                        {...own}
                        onClick={() => accept.mutate(input, { onSuccess: () => notifyDone('Limit raised') })}
                      >
                        Accept {formatNumber(offered ?? 0)}
                      </GatedButton>
                    )}
                    <GatedButton
                      {...own}
                      variant="default"
                      onClick={() =>
                        withdraw.mutate(input, { onSuccess: () => notifyDone('Request withdrawn') })
                      }
                    >
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

interface RequestFormProps {
  tenantKey: string;
  timeZone: string;
  policies: readonly LimitPolicy[];
}

const idOf = ({ api, name }: LimitPolicy) => `${api}/${name}`;

/** Requests a higher limit; suggests a number based on peak usage. */
export function RequestForm({ tenantKey, timeZone, policies }: RequestFormProps) {
  const [chosen, setChosen] = useState<string>();
  const [typed, setTyped] = useState<string>();
  const [why, setWhy] = useState('');
  const [problem, setProblem] = useState<string>();
  const { mutation, errors, dialog } = useMutationDialog(
    QuotaRequestCreateDocument,
    ['limit', 'wanted', 'why'],
    quotaRequestsKey,
  );
  const titleOf = useLimitTitle();
  const { data: histories } = useQuery(limitHistoryQuery(tenantKey));
  // Limits with a total first: the others have no peak.
  const limits = policies.toSorted((a, b) => a.per.length - b.per.length);
  const asked = limits.find((limit) => idOf(limit) === chosen) ?? limits[0];
  if (!asked) return null;
  const { api: apiKey, name: limitName, limit: current } = asked;
  const history = ofLimit(histories, asked);
  const peak = history && peakOf(history);
  const isByPeak = peak !== undefined && peak.used * 1.25 > current;
  const wanted = typed ?? formatCount(suggestLimit(current, peak?.used));
  const number = parseCount(wanted);
  const input = number.ok
    ? { tenantKey, apiKey, limit: limitName, wanted: number.value, why: why.trim() }
    : undefined;
  const save = dialog(input, () => {
    notifyDone('Request sent. We will email you when it is reviewed.');
    setTyped(undefined);
    setWhy('');
  });
  const submit = () => {
    setProblem(number.ok ? undefined : number.message);
    save.onSubmit();
  };
  return (
    <Form onSubmit={submit} className={classes.ask}>
      <Stack gap="md">
        <Select
          label="Limit"
          description={`Currently ${amountInWords(ruleOf(asked))}.`}
          data={limits.map((limit) => ({
            value: idOf(limit),
            label: titleOf?.(limit.api, limit.name) ?? limit.name,
          }))}
          value={idOf(asked)}
          onChange={(value) => {
            if (value) setChosen(value);
            setTyped(undefined);
            mutation.reset();
          }}
          searchable
          error={errors.limit}
        />
        <NumberText
          label="New limit"
          description={
            isByPeak
              ? `25 % above your peak of ${formatNumber(peak.used)}.`
              : 'Twice the current limit. Enter another number if you need it.'
          }
          inputMode="numeric"
          value={wanted}
          onChange={setTyped}
          parsed={number}
          error={problem ?? errors.wanted}
        />
        <Textarea
          label="Reason"
          description="Explain why you need it and for how long."
          required
          value={why}
          onChange={({ currentTarget: { value } }) => setWhy(value)}
          maxLength={500}
          minRows={3}
          error={errors.why}
        />
        <Problem>{save.problem}</Problem>
        {/* Submits the form, also by keyboard. */}
        <GatedButton
          permission="quota-requests:write"
          tenantKey={tenantKey}
          size="sm"
          style={{ alignSelf: 'flex-start' }}
          loading={save.pending}
          onClick={({ currentTarget }) => currentTarget.form?.requestSubmit()}
        >
          Send request
        </GatedButton>
      </Stack>
      <div>
        <p className={classes.peakTitle}>Your peak</p>
        <PeakFacts {...{ tenantKey, timeZone, apiKey, limitName }} limit={current} />
      </div>
    </Form>
  );
}
