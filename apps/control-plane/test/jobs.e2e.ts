import { eventually } from '@tollgate/test-kit';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { RunBulkActionsJob } from '../src/features/customers/bulk/bulk-actions.job.js';
import { SendMailJob } from '../src/features/people/delivery/mail-sender.js';
import { DispatchNoticesJob } from '../src/features/people/delivery/notices.jobs.js';
import { type Job, JobsRunner, KNOWN_JOBS_KEY } from '../src/platform/jobs/jobs-runner.js';
import { JobsQueue, KEPT_JOBS } from '../src/platform/jobs/queues.js';
import { Log } from '../src/platform/log.js';
import { RedisConnections } from '../src/platform/redis.js';
import { runFailingJob } from './support/failing-job.js';
import { startTestApp, type TestApp } from './support/test-app.js';

const JOBS = `query($state: JobState, $queue: String) { jobs(state: $state, queue: $queue) {
  id queue name state attempts maxAttempts error stack data everyMs at } }`;
const QUEUES = '{ jobQueues { name paused counts { state count } } }';
const mutation = (name: string, type: string, selection: string) =>
  `mutation($input: ${type}!) { ${name}(input: $input) { ${selection} userErrors { code field message } } }`;
const RETRY = mutation('jobRetry', 'JobTargetInput', 'job { state attempts }');
const REMOVE = mutation('jobRemove', 'JobTargetInput', 'job { id }');
const PAUSE = mutation('jobQueuePause', 'JobQueueTargetInput', 'queue { paused }');
const RESUME = mutation('jobQueueResume', 'JobQueueTargetInput', 'queue { paused }');

let app: TestApp;
let id: string;
let queue: JobsQueue;

beforeAll(async () => {
  app = await startTestApp();
  queue = app.app.get(JobsQueue, { strict: false });
  id = await runFailingJob(app);
});
afterAll(() => app.stop());

const failed = async () => (await app.graphql(JOBS, { state: 'FAILED', queue: 'jobs' })).data.jobs;
const untilFailed = (attempts: number) =>
  eventually(async () => {
    const [job] = await failed();
    return job?.attempts === attempts && job;
  });

it('lists a failed job with its error, stack and data', async () => {
  expect(await untilFailed(1)).toMatchObject({
    id,
    queue: 'jobs',
    name: 'failing-job',
    error: 'Out of order',
    stack: expect.stringContaining('failing-job.ts'),
    data: '{"tenant":"acme"}',
    everyMs: null,
  });
  const listScheduled = async () => (await app.graphql(JOBS, { state: 'SCHEDULED' })).data.jobs;
  await expect.poll(listScheduled).not.toEqual([]);
  const jobs = await listScheduled();
  expect(jobs.every(({ everyMs }: { everyMs: number | null }) => everyMs !== null)).toBe(true);
});

it('retries a failed job, and removes it', async () => {
  const input = { queue: 'jobs', id };
  const tried = await app.graphql(RETRY, { input: { ...input, dryRun: true } });
  expect(tried.data.jobRetry).toEqual({ job: { state: 'FAILED', attempts: 1 }, userErrors: [] });
  expect((await app.graphql(RETRY, { input })).data.jobRetry.userErrors).toEqual([]);
  await untilFailed(2);
  expect((await app.graphql(REMOVE, { input })).data.jobRemove).toEqual({ job: null, userErrors: [] });
  expect(await failed()).toEqual([]);
  expect((await app.graphql(RETRY, { input })).data.jobRetry.userErrors).toMatchObject([
    { code: 'NOT_FOUND', field: ['id'] },
  ]);
  const actions = await app.database.auditEntry.findMany({
    where: { entity: 'Job' },
    orderBy: { at: 'asc' },
  });
  expect(actions.map(({ action }) => action)).toEqual(['job.retry', 'job.remove']);
});

it('rejects a retry of a scheduled job, and its removal', async () => {
  const { jobs } = (await app.graphql(JOBS, { state: 'SCHEDULED', queue: 'jobs' })).data;
  const last = jobs.at(-1);
  const input = { queue: 'jobs', id: last.id };
  const errors = [
    (await app.graphql(RETRY, { input })).data.jobRetry.userErrors,
    (await app.graphql(REMOVE, { input })).data.jobRemove.userErrors,
  ];
  expect(errors.map(([{ code }]) => code)).toEqual(['INVALID', 'INVALID']);
});

it('removes a schedule that no running worker knows, and keeps one of another release that runs', async () => {
  const { config } = app.app.get(RedisConnections, { strict: false });
  const inAnHour = Date.now() + 3_600_000;
  await config.hset(KNOWN_JOBS_KEY, 'job-of-a-running-release', inAnHour);
  for (const name of ['job-of-an-earlier-release', 'job-of-a-running-release'])
    await queue.upsertJobScheduler(name, { every: 1000 }, { name, opts: KEPT_JOBS });
  const listNames = async () => (await queue.getJobSchedulers()).map(({ key }) => key);
  await expect.poll(listNames).not.toContain('job-of-an-earlier-release');
  expect(await listNames()).toContain('job-of-a-running-release');
  expect(await failed()).toEqual([]);
  await queue.removeJobScheduler('job-of-a-running-release');
});

it('drops unknown jobs and logs each name once', async () => {
  const warn = vi.spyOn(app.app.get(Log, { strict: false }), 'warn');
  try {
    const jobs = [1, 2].map(() => queue.add('job-of-nobody', {}, KEPT_JOBS));
    const ids = (await Promise.all(jobs)).map((job) => job.id ?? '');
    await expect.poll(() => Promise.all(ids.map((one) => queue.getJob(one)))).toEqual([undefined, undefined]);
    const logged = warn.mock.calls.filter(([facts]) => (facts as { job?: string }).job === 'job-of-nobody');
    expect(logged).toEqual([[{ job: 'job-of-nobody' }, 'unknown job dropped']]);
    expect(await failed()).toEqual([]);
  } finally {
    warn.mockRestore();
  }
});

it('runs other jobs while some are slow', async () => {
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const slow = [SendMailJob, RunBulkActionsJob].map((job) =>
    vi.spyOn(app.app.get<Job>(job, { strict: false }), 'run').mockReturnValue(held),
  );
  const other = vi.spyOn(app.app.get(DispatchNoticesJob, { strict: false }), 'run');
  try {
    await expect.poll(() => slow.map(({ mock }) => mock.calls.length)).toEqual([1, 1]);
    const before = other.mock.calls.length;
    // Each of the slow ones becomes due several times meanwhile.
    await expect.poll(() => other.mock.calls.length).toBeGreaterThan(before + 10);
    expect(slow.map(({ mock }) => mock.calls.length)).toEqual([1, 1]);
  } finally {
    release();
    for (const spy of [...slow, other]) spy.mockRestore();
  }
});

it('runs a job again for callers that stored something during its run', async () => {
  const runner = app.app.get(JobsRunner, { strict: false });
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const job = vi.spyOn(app.app.get(DispatchNoticesJob, { strict: false }), 'run').mockReturnValueOnce(held);
  try {
    await expect.poll(() => job.mock.calls.length).toBe(1);
    const later = [1, 2].map(() => runner.run('dispatch-notices').then(() => job.mock.calls.length));
    release();
    expect(await Promise.all(later)).toEqual([2, 2]);
  } finally {
    release();
    job.mockRestore();
  }
});

it('restarts a job whose next run could not be scheduled', async () => {
  const runner = app.app.get(JobsRunner, { strict: false });
  // biome-ignore lint/complexity/useLiteralKeys: only brackets access a private member
  const { backend } = runner['worker'] as unknown as {
    backend: { updateJobSchedulerNextMillis(name: string): unknown };
  };
  const schedule = vi.spyOn(backend, 'updateJobSchedulerNextMillis');
  const run = vi.spyOn(runner, 'run');
  try {
    schedule.mockRejectedValueOnce(new Error("OOM command not allowed when used memory > 'maxmemory'."));
    await expect.poll(() => schedule.mock.calls.length).toBeGreaterThan(0);
    const [name = ''] = schedule.mock.calls[0] ?? [];
    run.mockClear();
    // Well below the lock of 30 s that BullMQ sets by default.
    await expect.poll(() => run.mock.calls.flat()).toContain(name);
  } finally {
    for (const spy of [schedule, run]) spy.mockRestore();
  }
});

it('pauses and resumes a queue', async () => {
  const input = { queue: 'policy' };
  const pausedOf = async () =>
    (await app.graphql(QUEUES)).data.jobQueues.map(({ paused }: { paused: boolean }) => paused);
  expect((await app.graphql(PAUSE, { input })).data.jobQueuePause.queue).toEqual({ paused: true });
  expect(await pausedOf()).toEqual([false, true]);
  await app.graphql(RESUME, { input });
  expect(await pausedOf()).toEqual([false, false]);
  const unknown = (await app.graphql(PAUSE, { input: { queue: 'mail' } })).data.jobQueuePause;
  expect(unknown.userErrors).toMatchObject([{ code: 'NOT_FOUND', field: ['queue'] }]);
});

it('lets auditors list jobs but not change them', async () => {
  const auditor = await app.signIn('AUDITOR');
  expect((await app.graphql(JOBS, {}, auditor)).data.jobs).not.toEqual([]);
  const refused = await app.graphql(RETRY, { input: { queue: 'jobs', id } }, auditor);
  expect(refused.errors[0]?.extensions.code).toBe('FORBIDDEN');
});
