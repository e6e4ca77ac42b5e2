import { Text } from '@mantine/core';
import { useState } from 'react';
import { GatedButton } from '../../../components/buttons.js';
import { LinkAnchor } from '../../../components/links.js';
import { formatNumber } from '../../../lib/number-format.js';
import { formatAgo, formatDay } from '../../../lib/time-format.js';
import type { QuotaRequestRow } from '../api/quota-requests.js';
import { admittedIn, intervalFor } from '../peak.js';
import { DecisionDialog, type DecisionKind } from './decision-dialog.js';
import { PeakFacts } from './peak-facts.js';
import { RequestStatusDot } from './request-status.js';
import classes from './requests.module.css';

const DAY_MS = 86_400_000;

interface RequestsInboxProps {
  requests: readonly QuotaRequestRow[];
  /** How long the window of a request's limit is; undefined: it goes by the calendar. */
  windowOf: (request: QuotaRequestRow) => number | undefined;
  /** Called with the change to follow and what it was. */
  onChanged: (changeId: string, title: string) => void;
}

/** Requests for higher limits, each with what its tenant has really used and the three answers. */
export function RequestsInbox({ requests, windowOf, onChanged }: RequestsInboxProps) {
  const [asking, setAsking] = useState<{ request: QuotaRequestRow; kind: DecisionKind }>();
  return (
    <>
      <ul className={classes.list}>
        {requests.map((request) => (
          <Request
            key={request.id}
            request={request}
            windowMs={windowOf(request)}
            onAsk={(kind) => setAsking({ request, kind })}
          />
        ))}
      </ul>
      {asking && <DecisionDialog {...asking} onClose={() => setAsking(undefined)} onChanged={onChanged} />}
    </>
  );
}

interface RequestProps {
  request: QuotaRequestRow;
  windowMs: number | undefined;
  onAsk: (kind: DecisionKind) => void;
}

function Request({ request, windowMs = DAY_MS, onAsk }: RequestProps) {
  const { tenant, apiKey, limit, current, wanted, why, status, requestedBy, createdAt } = request;
  const interval = intervalFor(windowMs);
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
          <span className={classes.soft}>{formatNumber(current)}</span>
          <span aria-hidden>→</span>
          <strong>{formatNumber(wanted)}</strong>
          <Text span size="sm">
            {limit} <span className={classes.soft}>{apiKey}</span>
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
          apiKey={apiKey}
          limitName={limit}
          interval={interval}
          limit={admittedIn(current, windowMs, interval)}
        />
      </div>
    </li>
  );
}

/** What was offered or granted, until when, and what was said. */
export function Answer({ request: { status, offered, until, answer } }: { request: QuotaRequestRow }) {
  if (offered == null && answer == null) return null;
  const end = until ? `until ${formatDay(until)}` : 'no end date';
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
