import { Select, Text, Textarea } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { GatedButton } from '../../components/buttons.js';
import { CreateModal } from '../../components/create-modal.js';
import { LimitGraph } from '../../components/limit-graph.js';
import { LinkAnchor } from '../../components/links.js';
import { type DotTone, StateDot } from '../../components/marks.js';
import { Hint } from '../../components/page.js';
import { NumberText } from '../../components/typed-field.js';
import type { QuotaRequestGrant, QuotaRequestStatus } from '../../generated/graphql.js';
import { endOfLifetime, LIFETIMES, useFields } from '../../lib/form.js';
import { isConflict, notifyDone } from '../../lib/graphql-request.js';
import { inSpan, limitHistoryQuery, measureText, ofLimit, peakOf } from '../../lib/limit-history.js';
import { useMutationDialog } from '../../lib/mutation.js';
import { formatNumber, formatShare } from '../../lib/number-format.js';
import { formatCount, parseCount } from '../../lib/rate.js';
import { formatAgo, formatDayInZone } from '../../lib/time-format.js';
import { QUOTA_DECISIONS, type QuotaRequestRow, quotaRequestsKey } from './api.js';
import classes from './requests.module.css';

const STATUSES: Readonly<Record<QuotaRequestStatus, { tone: DotTone; text: string }>> = {
  OPEN: { tone: 'warn', text: 'Open' },
  COUNTERED: { tone: 'warn', text: 'Countered' },
  APPROVED: { tone: 'good', text: 'Approved' },
  DECLINED: { tone: 'quiet', text: 'Declined' },
  WITHDRAWN: { tone: 'quiet', text: 'Withdrawn' },
};

export function RequestStatusDot({ status }: { status: QuotaRequestStatus }) {
  return <StateDot tone={STATUSES[status].tone}>{STATUSES[status].text}</StateDot>;
}

interface PeakFactsProps {
  tenantKey: string;
  timeZone: string;
  apiKey: string;
  limitName: string;
  /** To compare the peak with. */
  limit: number;
}

/** The busiest of the last 30 days of a limit, and each day against the limit of that time. */
export function PeakFacts({ tenantKey, timeZone, apiKey, limitName, limit }: PeakFactsProps) {
  const { data: histories, error } = useQuery(limitHistoryQuery(tenantKey));
  if (error) return <Text size="sm">Usage is unavailable.</Text>;
  if (histories === undefined) return <div className={classes.peakFacts} />;
  const history = ofLimit(histories, { api: apiKey, name: limitName });
  if (!history) return <Text size="sm">This limit has no combined total.</Text>;
  const peak = peakOf(history);
  const denied = history.days.reduce((sum, day) => sum + day.denied, 0);
  if (!peak && denied === 0) return <Text size="sm">No usage in the last 30 days.</Text>;
  const used = peak?.used ?? 0;
  return (
    <div className={classes.peakFacts}>
      <Text size="sm" className="tg-number">
        <strong>{inSpan(used, history)}</strong> · {formatShare(used / limit)} of the limit
      </Text>
      <Hint>
        {peak && `${formatDayInZone(peak.at, timeZone)} · `}
        {formatNumber(denied)} denied by this limit in the last 30 days
      </Hint>
      <LimitGraph
        history={history}
        label={`${measureText(history)} in the last 30 days; highest: ${formatNumber(used)}`}
        height={44}
      />
      <Hint>{measureText(history)}; dashed: the limit.</Hint>
    </div>
  );
}

type DecisionKind = keyof typeof QUOTA_DECISIONS;

interface DecisionDialogProps {
  request: QuotaRequestRow;
  kind: DecisionKind;
  onClose: () => void;
  onChanged: (changeId: string, title: string) => void;
}

const GRANTS = [
  { value: 'OVERRIDE', label: 'Override (sets the limit)' },
  { value: 'ENTITLEMENT', label: 'Entitlement (adds to the limit)' },
];
const FIELDS = ['as', 'expiresAt', 'until', 'offered', 'answer'];

export function DecisionDialog({ request, kind, onClose, onChanged }: DecisionDialogProps) {
  const { tenant, limit, wanted, current } = request;
  const [problem, setProblem] = useState<string>();
  const { mutation, errors, dialog } = useMutationDialog(QUOTA_DECISIONS[kind], FIELDS, quotaRequestsKey);
  const { values, bind } = useFields(errors, {
    as: 'OVERRIDE' as QuotaRequestGrant,
    days: '30',
    offered: formatCount(Math.round((current + wanted) / 2)),
    answer: '',
  });
  const offered = parseCount(values.offered);
  const inputOf = () => {
    const common = { requestId: request.id, expectedVersion: request.version };
    const answer = values.answer.trim();
    const end = endOfLifetime(values.days);
    if (kind === 'decline') return { ...common, answer };
    if (kind === 'approve') return { ...common, as: values.as, expiresAt: end, answer: answer || null };
    return offered.ok ? { ...common, offered: offered.value, until: end, answer } : undefined;
  };
  const { title, done, submitLabel } = {
    approve: {
      title: `Raise ${limit} of ${tenant.name} to ${formatNumber(wanted)}?`,
      done: `${tenant.name}: ${limit} raised to ${formatNumber(wanted)}`,
      submitLabel: 'Approve',
    },
    counter: {
      title: `Make ${tenant.name} a counteroffer`,
      done: `Counteroffer sent to ${tenant.name}`,
      submitLabel: 'Send offer',
    },
    decline: {
      title: `Decline the request from ${tenant.name}?`,
      done: `Request from ${tenant.name} declined`,
      submitLabel: 'Decline',
    },
  }[kind];
  const save = dialog(inputOf(), ({ changeId, warnings }) => {
    if (changeId && kind === 'approve') onChanged(changeId, done);
    else notifyDone(done);
    for (const message of warnings) notifications.show({ message, color: 'ochre' });
    onClose();
  });
  const submit = () => {
    setProblem(kind === 'counter' && !offered.ok ? offered.message : undefined);
    save.onSubmit();
  };
  return (
    <CreateModal
      title={title}
      submitLabel={submitLabel}
      onClose={onClose}
      {...save}
      onSubmit={submit}
      {...(isConflict(mutation.error) && {
        problem: 'This request has changed. Close the dialog and review it again.',
      })}
    >
      {kind === 'counter' && (
        <NumberText
          label="Offer"
          data-autofocus
          inputMode="numeric"
          {...bind('offered')}
          parsed={offered}
          error={problem ?? errors.offered}
        />
      )}
      {kind === 'approve' && <Select label="Grant as" data={GRANTS} {...bind('as')} />}
      {kind !== 'decline' && (
        <Select
          label="Duration"
          data={LIFETIMES}
          {...bind('days')}
          error={errors.expiresAt ?? errors.until}
        />
      )}
      <Textarea
        label="Message to the customer"
        description={kind === 'approve' ? 'Optional.' : 'Shown to the customer.'}
        maxLength={500}
        {...bind('answer')}
        {...(kind === 'decline' ? { 'data-autofocus': true } : {})}
      />
    </CreateModal>
  );
}

interface RequestsInboxProps {
  requests: readonly QuotaRequestRow[];
  /** Called with the change to follow and a title. */
  onChanged: (changeId: string, title: string) => void;
}

export function RequestsInbox({ requests, onChanged }: RequestsInboxProps) {
  const [dialog, setDialog] = useState<{ request: QuotaRequestRow; kind: DecisionKind }>();
  return (
    <>
      <ul className="tg-list">
        {requests.map((request) => (
          <Request key={request.id} request={request} onAsk={(kind) => setDialog({ request, kind })} />
        ))}
      </ul>
      {dialog && <DecisionDialog {...dialog} onClose={() => setDialog(undefined)} onChanged={onChanged} />}
    </>
  );
}

interface RequestProps {
  request: QuotaRequestRow;
  onAsk: (kind: DecisionKind) => void;
}

function Request({ request, onAsk }: RequestProps) {
  const { tenant, apiKey, limit, current, wanted, why, status, requestedBy, createdAt } = request;
  const isWaiting = status === 'OPEN' || status === 'COUNTERED';
  return (
    <li className={classes.request}>
      <div>
        <div className={classes.head}>
          <LinkAnchor to="/tenants/$tenantKey" params={{ tenantKey: tenant.key }} fw={600}>
            {tenant.name}
          </LinkAnchor>
          <RequestStatusDot status={status} />
          <Text span size="sm" c="dimmed">
            {requestedBy}, {formatAgo(createdAt)}
          </Text>
        </div>
        <div className={classes.jump}>
          <span className="tg-soft">{formatNumber(current)}</span>
          <span aria-hidden>→</span>
          <strong>{formatNumber(wanted)}</strong>
          <Text span size="sm">
            {limit} <span className="tg-soft">{apiKey}</span>
          </Text>
        </div>
        <blockquote className={classes.quote}>{why}</blockquote>
        <Answer request={request} />
        {isWaiting && (
          <div className={classes.actions}>
            <GatedButton permission="quota-requests:decide" onClick={() => onAsk('approve')}>
              Approve
            </GatedButton>
            <GatedButton
              permission="quota-requests:decide"
              variant="default"
              onClick={() => onAsk('counter')}
            >
              Counter
            </GatedButton>
            <GatedButton
              permission="quota-requests:decide"
              variant="default"
              onClick={() => onAsk('decline')}
            >
              Decline
            </GatedButton>
          </div>
        )}
      </div>
      <div>
        <p className={classes.peakTitle}>Peak</p>
        <PeakFacts
          tenantKey={tenant.key}
          timeZone={tenant.timeZone}
          apiKey={apiKey}
          limitName={limit}
          limit={current}
        />
      </div>
    </li>
  );
}

/** The offered or granted limit, its end and the message. */
export function Answer({ request }: { request: QuotaRequestRow }) {
  const { status, offered, until, answer, tenant } = request;
  if (offered == null && answer == null) return null;
  const end = until ? `until ${formatDayInZone(until, tenant.timeZone)}` : 'no end date';
  return (
    <Text size="sm" mt={8}>
      {offered != null && (
        <>
          {status === 'APPROVED' ? 'Granted' : 'Offered'} <strong>{formatNumber(offered)}</strong> {end}
          {answer != null && ': '}
        </>
      )}
      {answer}
    </Text>
  );
}
