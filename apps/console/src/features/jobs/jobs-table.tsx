import { Drawer, Group, SegmentedControl, Stack, Text, UnstyledButton } from '@mantine/core';
import { IconCircleCheck, IconListCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { spanInWords } from '@tollgate/contracts/limit-title';
import { useState } from 'react';
import { GatedButton } from '../../components/buttons.js';
import { askToConfirm } from '../../components/confirmation.js';
import { CopyBlock } from '../../components/copy.js';
import { ActionsCell, hidden, NumericCell, numeric, QueryTable } from '../../components/data-table.js';
import { Ago } from '../../components/figures.js';
import { type DotTone, StateDot } from '../../components/marks.js';
import { EmptyState, Panel } from '../../components/page.js';
import type { JobState } from '../../generated/graphql.js';
import { notifyDone, notifyFailure } from '../../lib/graphql-request.js';
import { useInputMutation } from '../../lib/mutation.js';
import { formatNumber, plural } from '../../lib/number-format.js';
import {
  JOBS,
  type JobInList,
  JobQueuePauseDocument,
  JobQueueResumeDocument,
  JobRemoveDocument,
  JobRetryDocument,
  jobsQuery,
  type QueueInList,
} from './api.js';

const STATES: Readonly<Record<JobState, { tone: DotTone; text: string }>> = {
  FAILED: { tone: 'bad', text: 'Failed' },
  ACTIVE: { tone: 'good', text: 'Active' },
  WAITING: { tone: 'warn', text: 'Waiting' },
  SCHEDULED: { tone: 'quiet', text: 'Scheduled' },
};
const CHOICES = Object.keys(STATES) as JobState[];

interface JobsTableProps {
  state: JobState | undefined;
  onState: (state: JobState | undefined) => void;
}

/** Queues with their counts, and the jobs in one state or in all. */
export function JobsTable({ state, onState }: JobsTableProps) {
  const query = useQuery(jobsQuery(state));
  const [opened, setOpened] = useState<JobInList>();
  const queues = query.data?.jobQueues ?? [];
  const countOf = (one: JobState) =>
    queues.reduce((sum, { counts }) => sum + (counts.find((each) => each.state === one)?.count ?? 0), 0);
  const labelOf = (one: JobState) =>
    query.data === undefined ? STATES[one].text : `${STATES[one].text} ${formatNumber(countOf(one))}`;
  return (
    <>
      <Panel title="Queues" flush>
        <QueryTable
          query={query}
          list={query.data?.jobQueues}
          rows={2}
          empty="No queues."
          label="Queues"
          columns={['Queue', 'State', ...CHOICES.map((one) => numeric(STATES[one].text)), hidden('Actions')]}
        >
          {(queue) => <QueueRow key={queue.name} queue={queue} />}
        </QueryTable>
      </Panel>
      <Panel title="Jobs" note="Refreshes every 3 seconds. Finished jobs are deleted." flush>
        <div style={{ padding: '12px 16px', overflowX: 'auto' }}>
          <SegmentedControl
            aria-label="State"
            styles={{ label: { paddingInline: 6 } }}
            data={[
              { value: 'all', label: 'All' },
              ...CHOICES.map((value) => ({ value, label: labelOf(value) })),
            ]}
            value={state ?? 'all'}
            onChange={(value) => onState(CHOICES.find((one) => one === value))}
          />
        </div>
        <QueryTable
          query={query}
          list={query.data?.jobs}
          rows={6}
          empty={<NoJobs state={state} />}
          label="Jobs"
          columns={['Job', 'Queue', 'State', numeric('Attempts'), 'Error', 'When', hidden('Actions')]}
        >
          {(job) => <JobRow key={`${job.queue}/${job.id}`} job={job} onOpen={() => setOpened(job)} />}
        </QueryTable>
      </Panel>
      {opened && <JobDrawer job={opened} onClose={() => setOpened(undefined)} />}
    </>
  );
}

function NoJobs({ state }: { state: JobState | undefined }) {
  const isGood = state === 'FAILED';
  const Icon = isGood ? IconCircleCheck : IconListCheck;
  return (
    <EmptyState
      icon={Icon}
      title={state === undefined ? 'No jobs' : `No ${STATES[state].text.toLowerCase()} jobs`}
    >
      {isGood
        ? 'Failed jobs stay here until you retry or remove them.'
        : 'Workers add their schedules at start.'}
    </EmptyState>
  );
}

function QueueRow({ queue: { name, paused, counts } }: { queue: QueueInList }) {
  const pause = useInputMutation(JobQueuePauseDocument, JOBS);
  const resume = useInputMutation(JobQueueResumeDocument, JOBS);
  const onError = notifyFailure('Action failed');
  const ask = () =>
    askToConfirm({
      title: `Pause the queue ${name}?`,
      text:
        name === 'policy'
          ? 'Changes of limits do not reach the nodes while it is paused.'
          : 'No mails, webhooks, renewals or usage reports are processed while it is paused.',
      confirm: 'Pause queue',
      onConfirm: () => pause.mutate({ queue: name }, { onError }),
    });
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>{paused ? <StateDot tone="warn">Paused</StateDot> : <StateDot tone="good">Running</StateDot>}</td>
      {CHOICES.map((state) => (
        <NumericCell key={state}>
          {formatNumber(counts.find((one) => one.state === state)?.count ?? 0)}
        </NumericCell>
      ))}
      <ActionsCell>
        <GatedButton
          permission="jobs:write"
          variant="default"
          size="compact-sm"
          aria-label={`${paused ? 'Resume' : 'Pause'} ${name}`}
          loading={pause.isPending || resume.isPending}
          onClick={() => (paused ? resume.mutate({ queue: name }, { onError }) : ask())}
        >
          {paused ? 'Resume' : 'Pause'}
        </GatedButton>
      </ActionsCell>
    </tr>
  );
}

function JobRow({ job, onOpen }: { job: JobInList; onOpen: () => void }) {
  const { name, queue, state, attempts, maxAttempts, error, everyMs, at } = job;
  return (
    <tr>
      <th scope="row">
        <UnstyledButton onClick={onOpen} fz="inherit" fw={500} style={{ textDecoration: 'underline dotted' }}>
          {name}
        </UnstyledButton>
        {everyMs !== null && (
          <Text size="xs" c="dimmed" fw={400}>
            every {spanInWords(everyMs)}
          </Text>
        )}
      </th>
      <td>{queue}</td>
      <td style={{ whiteSpace: 'nowrap' }}>
        <StateDot tone={STATES[state].tone}>{STATES[state].text}</StateDot>
      </td>
      <NumericCell>
        {formatNumber(attempts)} of {formatNumber(Math.max(attempts, maxAttempts))}
      </NumericCell>
      <td style={{ maxWidth: 360 }}>
        <Text size="sm" lineClamp={2} style={{ overflowWrap: 'anywhere' }}>
          {error ?? '–'}
        </Text>
      </td>
      <td>
        <Ago at={at} />
      </td>
      <ActionsCell>{state === 'FAILED' && <JobActions job={job} />}</ActionsCell>
    </tr>
  );
}

function JobActions({ job: { id, queue, name }, onDone }: { job: JobInList; onDone?: () => void }) {
  const retry = useInputMutation(JobRetryDocument, JOBS);
  const remove = useInputMutation(JobRemoveDocument, JOBS);
  const onError = notifyFailure('Action failed');
  const common = { permission: 'jobs:write', variant: 'default', size: 'compact-sm' } as const;
  const done = (text: string) => () => {
    notifyDone(text);
    onDone?.();
  };
  const ask = () =>
    askToConfirm({
      title: `Remove the failed job ${name}?`,
      text: 'Deletes the job with its error. Its schedule continues.',
      confirm: 'Remove job',
      onConfirm: () => remove.mutate({ queue, id }, { onSuccess: done('Job removed'), onError }),
    });
  return (
    <Group gap={6} justify="flex-end" wrap="nowrap">
      <GatedButton
        {...common}
        loading={retry.isPending}
        onClick={() => retry.mutate({ queue, id }, { onSuccess: done('Retrying the job'), onError })}
      >
        Retry
      </GatedButton>
      <GatedButton {...common} loading={remove.isPending} onClick={ask}>
        Remove
      </GatedButton>
    </Group>
  );
}

function JobDrawer({ job, onClose }: { job: JobInList; onClose: () => void }) {
  const { id, name, queue, state, attempts, error, stack, data, everyMs, at } = job;
  return (
    <Drawer opened onClose={onClose} size="lg" title={name}>
      <Stack gap="md">
        <Group justify="space-between">
          <StateDot tone={STATES[state].tone}>{STATES[state].text}</StateDot>
          {state === 'FAILED' && <JobActions job={job} onDone={onClose} />}
        </Group>
        <dl className="tg-facts">
          <dt>Queue</dt>
          <dd>{queue}</dd>
          <dt>ID</dt>
          <dd>{id}</dd>
          <dt>Attempts</dt>
          <dd>{plural(attempts, 'attempt')}</dd>
          <dt>When</dt>
          <dd>
            <Ago at={at} />
          </dd>
          {everyMs !== null && (
            <>
              <dt>Schedule</dt>
              <dd>every {spanInWords(everyMs)}</dd>
            </>
          )}
        </dl>
        {error && (
          <div>
            <Text size="sm" fw={500} mb={4}>
              Error
            </Text>
            <CopyBlock text={stack ?? error} label="Error" />
          </div>
        )}
        <div>
          <Text size="sm" fw={500} mb={4}>
            Data
          </Text>
          <CopyBlock text={data} label="Data" />
        </div>
      </Stack>
    </Drawer>
  );
}
