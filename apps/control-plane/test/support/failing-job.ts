import { type JobSchedule, JobsRunner } from '../../src/platform/jobs/jobs-runner.js';
import { JobsQueue, KEPT_JOBS } from '../../src/platform/jobs/queues.js';
import type { TestApp } from './test-app.js';

/** Runs a job `failing-job` in the app's worker, which fails with "Out of order" and stays in the queue. Returns its id. */
export async function runFailingJob({ app }: TestApp): Promise<string> {
  const runner = app.get(JobsRunner, { strict: false });
  // biome-ignore lint/complexity/useLiteralKeys: only brackets access a private member
  const jobs = runner['jobs'];
  const { schedule } = jobs.get('dispatch-notices') as { schedule: JobSchedule };
  jobs.set('failing-job', { schedule, job: { run: () => Promise.reject(new Error('Out of order')) } });
  const { id = '' } = await app
    .get(JobsQueue, { strict: false })
    .add('failing-job', { tenant: 'acme' }, KEPT_JOBS);
  return id;
}
