import { Alert } from '@mantine/core';
import { IconHistoryOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { ChangeCause, LimitLadder } from '../../components/limit-ladder.js';
import { LinkAnchor } from '../../components/links.js';
import { Panel, QueryFallback } from '../../components/page.js';
import { ruleOf } from '../../lib/limit-fields.js';
import { formatNumber } from '../../lib/number-format.js';
import { formatAmount } from '../../lib/rate.js';
import { formatInstant } from '../../lib/time-format.js';
import { type Decision, explanationQuery, type Ladder, ladderQuery } from './api.js';
import classes from './explain.module.css';

interface DecisionLadderProps {
  decision: Decision;
  timeZone: string;
}

/** How the deciding limit was calculated in the decision's revision, why, and what it is today. */
export function DecisionLadder({ decision, timeZone }: DecisionLadderProps) {
  const { limitName, revision, policies, requestId } = decision;
  const explained = useQuery(explanationQuery(decision.tenantKey, requestId));
  const query = useQuery(ladderQuery(decision, explained.data));
  if (limitName == null) return null;
  const sharedBy = explained.data?.sharedBy ?? null;
  const title = `How ${limitName}${sharedBy === null ? '' : ` of ${sharedBy}`} was calculated`;
  if (!query.data) {
    return (
      <Panel title={title} flush>
        <QueryFallback query={explained.data === undefined ? explained : query} rows={3} />
      </Panel>
    );
  }
  const tenantKey = sharedBy ?? decision.tenantKey;
  const { past, today } = query.data;
  const label = sharedBy === null ? null : 'parent';
  const decided = policies.find((one) => one.limitName === limitName && (one.label ?? null) === label)?.limit;
  return (
    <Panel
      title={title}
      note={`Revision ${revision}${past?.publishedAt ? `, published ${formatInstant(past.publishedAt, timeZone)}` : ''}`}
    >
      {past === null ? (
        <>
          <Alert
            color="ochre"
            icon={<IconHistoryOff size={18} aria-hidden />}
            title={`The calculation in revision ${revision} is no longer stored`}
          >
            {decided === undefined ? '' : `The limit was ${formatNumber(decided)}. `}
            The newest 1,000 revisions are stored. {today && 'Below is the calculation today.'}
          </Alert>
          {today && <Rungs ladder={today} tenantKey={tenantKey} timeZone={timeZone} />}
        </>
      ) : (
        <>
          <Rungs ladder={past} tenantKey={tenantKey} timeZone={timeZone} />
          {decided !== undefined && decided !== past.limit.policy.limit && (
            <p className={classes.cause}>
              A rule for its subject applied to this request: {formatNumber(decided)}.
            </p>
          )}
          <Cause ladder={past} timeZone={timeZone} />
          <Today past={past} today={today} timeZone={timeZone} />
        </>
      )}
    </Panel>
  );
}

const amountOf = ({ limit: { policy } }: Ladder, limit: number = policy.limit): string =>
  formatAmount({ ...ruleOf(policy), limit });

function Rungs({ ladder, tenantKey, timeZone }: { ladder: Ladder; tenantKey: string; timeZone: string }) {
  const { limit, tierKey, tierName, tierVersion, tierChange = null, sources } = ladder;
  return (
    <LimitLadder
      {...limit}
      tenantKey={tenantKey}
      tier={{ key: tierKey, name: tierName, version: tierVersion }}
      tierChange={tierChange}
      sources={sources}
      timeZone={timeZone}
    />
  );
}

/** Since when the value applies, and the changes behind it that no step shows, such as the end of a boost. */
function Cause({ ladder, timeZone }: { ladder: Ladder; timeZone: string }) {
  const { introduced, tierChange, sources, limit } = ladder;
  // Before the rule for the caller, which has another start.
  const { from } = limit.provenance.find(({ source }) => source === 'SUBJECT_RULE') ?? {};
  const amount = amountOf(ladder, from);
  if (!introduced) return <p className={classes.cause}>The change that set {amount} is no longer stored.</p>;
  const { isScheduled, revision, at } = introduced;
  const shown = new Set([tierChange?.changeId, ...sources.map(({ changeId }) => changeId)]);
  return (
    <div className={classes.cause}>
      <strong>{amount}</strong> since {formatInstant(at, timeZone)}
      {isScheduled ? ', on schedule' : `, revision ${revision}`}
      {introduced.changes.flatMap((change) =>
        shown.has(change.changeId)
          ? []
          : [
              <div key={change.changeId}>
                <ChangeCause change={change} />
              </div>,
            ],
      )}
    </div>
  );
}

/** Whether the limit has changed since the decision. */
function Today({ past, today, timeZone }: { past: Ladder; today: Ladder | null; timeZone: string }) {
  if (today === null)
    return <p className={classes.cause}>Today: this limit no longer applies to the tenant.</p>;
  if (amountOf(today) === amountOf(past)) return <p className={classes.cause}>Today: unchanged.</p>;
  const { tierName, tierVersion, introduced } = today;
  const cause = introduced?.changes.at(-1);
  return (
    <p className={classes.cause} data-differs>
      Today: <strong>{amountOf(today)}</strong>
      {introduced && ` since ${formatInstant(introduced.at, timeZone)}`}, {tierName} v{tierVersion}.{' '}
      {cause && (
        <LinkAnchor to="/audit" search={{ changeId: cause.changeId }}>
          View change
        </LinkAnchor>
      )}{' '}
      <LinkAnchor to="/revisions" search={{ from: past.revision, to: today.revision }}>
        Compare revisions
      </LinkAnchor>
    </p>
  );
}
