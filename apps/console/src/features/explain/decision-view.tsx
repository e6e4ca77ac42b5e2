import { Badge, Button, TextInput } from '@mantine/core';
import { IconHelpCircle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { DataTable, NumericCell, numeric, QueryTable } from '../../components/data-table.js';
import { Ago } from '../../components/figures.js';
import { LinkAnchor, TenantLink } from '../../components/links.js';
import { KeyText, StateDot } from '../../components/marks.js';
import { EmptyText, Panel } from '../../components/page.js';
import { DECISION_REASON_TEXT, SHARED_PART_TEXT } from '../../lib/labels.js';
import { formatNumber, plural } from '../../lib/number-format.js';
import { formatInstant, formatInZone } from '../../lib/time-format.js';
import { type Decision, type Explanation, groupDenials, isDenied, recentDenialsQuery } from './api.js';
import { Fact, FactList, leftOf, reasonText, Verdict } from './decision-facts.js';
import classes from './explain.module.css';

/** The current state of a limit. */
export interface LimitNow {
  apiKey: string;
  limitName: string;
  limit: number;
  live: { remaining: number; resetAt: string } | null;
}

interface CheckedLimitsProps {
  decision: Decision;
  /** Undefined while it is loading. */
  states: Explanation['limits'] | undefined;
  limits: readonly LimitNow[];
  timeZone: string;
}

/** The limit that decided, or the amount of one of its labels: one that denied, else the one with the least left. */
function deciderOf({ policies, limitName }: Decision): Decision['policies'][number] | undefined {
  const own = policies.filter((one) => one.limitName === limitName && one.mode !== 'CANDIDATE');
  return own.toSorted((a, b) => Number(a.success) - Number(b.success) || a.remaining - b.remaining)[0];
}

/** Every checked limit: what was left before and after the decision and is left now, and the deciding one. */
export function CheckedLimits({ decision, states, limits, timeZone }: CheckedLimitsProps) {
  const { policies, apiKey } = decision;
  const decider = deciderOf(decision);
  return (
    <Panel title="Checked limits" note="Units left before and after the decision, and now" flush>
      {policies.length === 0 ? (
        <EmptyText>No limit was checked: {reasonText(decision)}.</EmptyText>
      ) : (
        <DataTable
          label="Checked limits"
          columns={[
            ...['Limit', 'Result'],
            ...[numeric('Left before'), numeric('Left after'), numeric('Left now')],
            'Resets',
          ]}
        >
          {policies.map((policy, i) => {
            const { limitName, label, limit, remaining, mode, success } = policy;
            const isDecider = policy === decider;
            const now = limits.find((one) => one.apiKey === apiKey && one.limitName === limitName && !label);
            return (
              <tr
                key={`${limitName}/${label}/${mode}`}
                className={isDecider && !success ? classes.winner : undefined}
              >
                <th scope="row">
                  {limitName} {label && <Badge color="gray">{label}</Badge>}{' '}
                  {mode !== 'ENFORCE' && (
                    <Badge color="gray">{mode === 'SHADOW' ? 'shadow' : 'candidate'}</Badge>
                  )}
                  {isDecider && <Badge color={success ? 'gate' : 'ember'}>decided</Badge>}
                </th>
                <td>
                  <StateDot tone={success ? 'good' : 'bad'}>{success ? 'allowed' : 'denied'}</StateDot>
                </td>
                <NumericCell>{states?.[i] ? formatNumber(states[i].before) : '…'}</NumericCell>
                <NumericCell>{leftOf(remaining, limit)}</NumericCell>
                <NumericCell>
                  {now?.live
                    ? leftOf(now.live.remaining, now.limit)
                    : now
                      ? 'tracked per subject'
                      : label
                        ? label in SHARED_PART_TEXT
                          ? 'shared with other tenants'
                          : 'tracked per label'
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

const subjectText = (subject: Decision['subject']): string =>
  subject.map(({ dimension, pseudonym }) => `${dimension} ${pseudonym.slice(0, 8)}`).join(', ');

/** One decision, with times in the tenant's time zone. */
export function DecisionView({ decision, timeZone }: { decision: Decision; timeZone: string }) {
  const { tenantKey, apiKey, operation, limitName, subject, retryAfter } = decision;
  const denied = isDenied(decision.outcome);
  return (
    <Panel flush>
      <Verdict
        denied={denied}
        reason={reasonText(decision)}
        by={limitName == null ? undefined : `${limitName} of ${apiKey}`}
      />
      <FactList>
        <Fact name="Tenant">
          <TenantLink tenantKey={tenantKey} />
        </Fact>
        <Fact name="Operation">
          {operation} <span className="tg-soft">{apiKey}</span>
        </Fact>
        <Fact name="When">{formatInstant(decision.at, timeZone)}</Fact>
        <Fact name="Cost">{decision.cost}</Fact>
        <Fact name="Subject">{subject.length === 0 ? 'none' : subjectText(subject)}</Fact>
        {denied && retryAfter != null && <Fact name="Retry after">{plural(retryAfter, 'second')}</Fact>}
        <Fact name="Node">{decision.nodeId}</Fact>
        <Fact name="Revision">{decision.revision}</Fact>
        <Fact name="Request">
          <KeyText>{decision.requestId}</KeyText>
        </Fact>
      </FactList>
    </Panel>
  );
}

/** Recently denied requests of a tenant by limit, operation and caller, each with a link to its newest explanation. */
export function RecentDenials({ tenantKey }: { tenantKey: string }) {
  const query = useQuery(recentDenialsQuery(tenantKey));
  const title = `Recently denied requests of ${tenantKey}`;
  return (
    <Panel title={title} note="The newest 100 that were sampled; select one to explain it" flush>
      <QueryTable
        query={query}
        list={query.data && groupDenials(query.data)}
        rows={3}
        empty="No recently denied requests."
        label={title}
        columns={['Limit', 'Operation', 'Caller', numeric('Denials'), 'Last']}
      >
        {({ requestId, at, apiKey, operation, limitName, reason, subject, count }) => (
          <tr key={requestId}>
            <th scope="row">
              {limitName} <span className="tg-soft">{DECISION_REASON_TEXT[reason]}</span>
            </th>
            <td>
              {operation} <span className="tg-soft">{apiKey}</span>
            </td>
            <td>{subject.length === 0 ? 'whole tenant' : subjectText(subject)}</td>
            <NumericCell>{formatNumber(count)}</NumericCell>
            <td>
              <LinkAnchor to="/why" search={{ request: requestId }} underline="always">
                <Ago at={at} />
              </LinkAnchor>
            </td>
          </tr>
        )}
      </QueryTable>
    </Panel>
  );
}

interface WhyFormProps {
  text: string;
  /** What to paste. */
  hint: string;
  onAsk: (text: string) => void;
}

export function WhyForm({ text, hint, onAsk }: WhyFormProps) {
  const [typed, setTyped] = useState(text);
  useEffect(() => setTyped(text), [text]);
  return (
    <search>
      <form
        style={{ display: 'flex', gap: 8 }}
        onSubmit={(event) => {
          event.preventDefault();
          onAsk(typed.trim());
        }}
      >
        <TextInput
          aria-label={hint}
          placeholder={hint}
          size="md"
          leftSection={<IconHelpCircle size={18} aria-hidden />}
          value={typed}
          onChange={({ currentTarget: { value } }) => setTyped(value)}
          spellCheck={false}
          autoComplete="off"
          style={{ flex: 1 }}
        />
        <Button type="submit" size="md">
          Explain
        </Button>
      </form>
    </search>
  );
}
