import { Button, Progress, Select, Skeleton, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { useSingleMutation } from '../lib/mutation.js';
import { formatMoney, formatNumber, formatPercent, plural } from '../lib/number-format.js';
import { loadChunk } from '../lib/query-client.js';
import {
  cancelSimulation,
  isUnfinished,
  type SimulatedDraft,
  type Simulation,
  type SimulationResult,
  simulationQuery,
  startSimulation,
} from '../lib/simulation.js';
import { formatMoment } from '../lib/time-format.js';
import { DataTable, NumericCell, numeric } from './data-table.js';
import { LinkAnchor } from './links.js';
import { Hint, Problem } from './page.js';
import classes from './simulation-part.module.css';

const SimulationChart = lazy(() => loadChunk(() => import('./simulation-chart.js')));

const RANGES = [
  { value: '1', label: 'Last hour' },
  { value: '24', label: 'Last 24 hours' },
  { value: '72', label: 'Last 3 days' },
  { value: '168', label: 'Last 7 days' },
];

interface SimulationPartProps {
  draft: SimulatedDraft;
}

/** Replays recorded traffic by a draft on request. Requires the permission `traffic:read`. */
export function SimulationPart({ draft }: SimulationPartProps) {
  const [hours, setHours] = useState('24');
  const client = useQueryClient();
  const start = useSingleMutation({ mutationFn: () => startSimulation(draft, Number(hours)) });
  const query = useQuery(simulationQuery(start.data));
  const cancel = useSingleMutation({
    mutationFn: cancelSimulation,
    onSuccess: () => client.invalidateQueries({ queryKey: simulationQuery(start.data).queryKey }),
  });
  const simulation = start.data === undefined ? undefined : query.data;
  const isRunning = start.isPending || (simulation ? isUnfinished(simulation) : query.isLoading);
  const error = start.error ?? query.error ?? cancel.error;
  return (
    <div className={classes.part}>
      <div className={classes.row}>
        <Select
          aria-label="Time range"
          size="xs"
          w={150}
          allowDeselect={false}
          data={RANGES}
          value={hours}
          disabled={isRunning}
          onChange={(value) => {
            setHours(value ?? '24');
            start.reset();
          }}
        />
        {isRunning && simulation ? (
          <Running simulation={simulation} onCancel={() => cancel.mutate(simulation.id)} />
        ) : (
          <Button variant="default" size="xs" loading={isRunning} onClick={() => start.mutate()}>
            Simulate
          </Button>
        )}
        {!isRunning && !simulation && !error && <Hint>Replays recorded requests by this draft.</Hint>}
        {simulation?.state === 'CANCELED' && <Hint>Canceled.</Hint>}
      </div>
      {error && <Problem m={12}>{error.message}</Problem>}
      {simulation?.state === 'FAILED' && <Problem m={12}>{simulation.message}</Problem>}
      {simulation?.result && (
        <Result simulation={simulation} result={simulation.result} hours={Number(hours)} />
      )}
    </div>
  );
}

function Running({ simulation, onCancel }: { simulation: Simulation; onCancel: () => void }) {
  const { decisions, replayed } = simulation;
  const percent = decisions === 0 ? 0 : Math.min(100, Math.floor((100 * replayed) / decisions));
  return (
    <>
      <Progress className={classes.progress ?? ''} value={percent} aria-label="Replayed requests" />
      <Text size="xs" c="dimmed">
        {formatNumber(replayed)} of {formatNumber(decisions)}
      </Text>
      <Button variant="subtle" size="xs" onClick={onCancel}>
        Cancel
      </Button>
    </>
  );
}

interface ResultProps {
  simulation: Simulation;
  result: SimulationResult;
  hours: number;
}

function Result({ simulation, result, hours }: ResultProps) {
  const { reliable, covered } = result;
  return (
    <>
      <p className={classes.sentence}>
        {!reliable && <Unreliable result={result} />}
        {reliable && covered === 0 && 'No recorded request can be compared.'}
        {reliable && covered > 0 && <Headline result={result} hours={hours} />}
      </p>
      <p className={classes.sentence}>
        <Hint>{coverageText(simulation, result)}</Hint>
      </p>
      {reliable && covered > 0 && (
        <>
          <DeniedCost result={result} />
          <Suspense fallback={<Skeleton h={150} m={12} />}>
            <SimulationChart series={result.series} stepMinutes={result.stepMinutes} />
          </Suspense>
          <DenyingLimits limits={result.limits} />
          <AffectedTenants result={result} />
        </>
      )}
    </>
  );
}

function Headline({ result, hours }: { result: SimulationResult; hours: number }) {
  const { newlyDenied, covered, newlyDeniedTenants, newlyAllowed, calibration } = result;
  const { subjects, newlyDeniedSubjects } = result;
  const time = hours === 1 ? 'hour' : hours === 24 ? '24 h' : `${hours / 24} days`;
  return (
    <>
      This draft would have denied{' '}
      <strong>
        {formatNumber(newlyDenied)} more of {plural(covered, 'request')}
      </strong>{' '}
      in the last {time} ({formatPercent(newlyDenied / covered)}); {plural(newlyDeniedTenants, 'tenant')} and{' '}
      {formatNumber(newlyDeniedSubjects)} of {plural(subjects, 'caller')} newly affected
      {newlyAllowed > 0 && `; ${formatNumber(newlyAllowed)} newly allowed`}
      {calibration && `; current limits reproduced ${formatPercent(1 - calibration.share)}`}.
    </>
  );
}

/** What the newly denied units would have cost; nothing without a price. */
function DeniedCost({ result: { newlyDeniedCosts, unpricedUnits } }: { result: SimulationResult }) {
  if (newlyDeniedCosts.length === 0) return null;
  const amounts = newlyDeniedCosts.map(({ amountMinor, currency }) => formatMoney(amountMinor, currency));
  return (
    <p className={classes.sentence}>
      At the prices of your top-ups, the denied units would have cost at most{' '}
      <strong>{amounts.join(' or ')}</strong>.
      {unpricedUnits > 0 &&
        ` ${plural(unpricedUnits, 'denied unit')} of limits without top-ups not included.`}
    </p>
  );
}

function Unreliable({ result: { calibration } }: { result: SimulationResult }) {
  return (
    <>
      <strong>Not reliable:</strong> the limits in force reproduced only{' '}
      {formatPercent(1 - (calibration?.share ?? 0))} of the recorded outcomes, so the effect of the draft
      cannot be predicted.
    </>
  );
}

/** What the numbers cover. */
function coverageText(
  { from, to }: Simulation,
  { covered, decisions, uncovered, notWarm }: SimulationResult,
): string {
  const parts = [
    `Recorded ${formatMoment(from)} to ${formatMoment(to)}.`,
    covered < decisions &&
      `Not covered: ${uncovered.map((one) => `${formatNumber(one.decisions)} ${one.reason}`).join(', ')}.`,
    notWarm.length > 0 &&
      `Too few denials of limits with a longer window than the recording: ${someOf(notWarm)}.`,
  ];
  return parts.filter(Boolean).join(' ');
}

const MAX_NAMED = 3;

/** The first names, and how many more there are. */
function someOf(names: readonly string[]): string {
  const more = names.length - MAX_NAMED;
  const shown = names.slice(0, MAX_NAMED).join(', ');
  return more > 0 ? `${shown} and ${formatNumber(more)} more` : shown;
}

const MAX_ROWS = 10;

function DenyingLimits({ limits }: Pick<SimulationResult, 'limits'>) {
  if (limits.length === 0) return null;
  const hidden = limits.length - MAX_ROWS;
  return (
    <>
      <DataTable
        label="Denied requests by limit"
        columns={['Limit', numeric('Requests'), numeric('Denied now'), numeric('Denied by draft')]}
      >
        {limits.slice(0, MAX_ROWS).map(({ apiKey, limitName, decisions, baselineDenied, draftDenied }) => (
          <tr key={`${apiKey}/${limitName}`}>
            <th scope="row">
              {limitName} <span className="tg-soft">{apiKey}</span>
            </th>
            <NumericCell>{formatNumber(decisions)}</NumericCell>
            <NumericCell>{formatNumber(baselineDenied)}</NumericCell>
            <NumericCell>{formatNumber(draftDenied)}</NumericCell>
          </tr>
        ))}
      </DataTable>
      {hidden > 0 && (
        <div className={classes.more}>
          <Hint>{plural(hidden, 'more limit')} with fewer denials.</Hint>
        </div>
      )}
    </>
  );
}

function AffectedTenants({ result: { tenants, newlyDeniedTenants } }: { result: SimulationResult }) {
  const [isLong, setLong] = useState(false);
  const affected = tenants.filter(({ newlyDenied }) => newlyDenied > 0);
  if (affected.length === 0) return null;
  const shown = isLong ? affected : affected.slice(0, MAX_ROWS);
  return (
    <>
      <DataTable
        label="Newly affected tenants"
        columns={['Tenant', 'First denied request', numeric('Newly denied'), numeric('Requests')]}
      >
        {shown.map(({ tenantKey, tenantName, newlyDenied, decisions, examples: [first] }) => (
          <tr key={tenantKey}>
            <th scope="row">
              <LinkAnchor to="/tenants/$tenantKey" params={{ tenantKey }} c="inherit">
                {tenantName}
              </LinkAnchor>
            </th>
            <td>
              {first && (
                <>
                  {first.operation} <span className="tg-soft">{first.limitName ?? 'blocked'}</span>
                  <Text size="xs" c="dimmed">
                    {formatMoment(first.at)}
                    {first.retryAfter && `, retry after ${formatNumber(first.retryAfter)} s`}
                  </Text>
                </>
              )}
            </td>
            <NumericCell>{formatNumber(newlyDenied)}</NumericCell>
            <NumericCell>{formatNumber(decisions)}</NumericCell>
          </tr>
        ))}
      </DataTable>
      {affected.length > shown.length && (
        <div className={classes.more}>
          <Button variant="subtle" size="compact-xs" onClick={() => setLong(true)}>
            Show {formatNumber(affected.length - shown.length)} more
          </Button>
        </div>
      )}
      {newlyDeniedTenants > affected.length && (
        <div className={classes.more}>
          <Hint>
            The first {formatNumber(affected.length)} of {plural(newlyDeniedTenants, 'tenant')}.
          </Hint>
        </div>
      )}
    </>
  );
}
