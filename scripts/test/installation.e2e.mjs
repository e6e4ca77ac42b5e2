import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findViolations, installAxe } from '../../apps/console/test/screens.ts';
import { JobsQueue, KEPT_JOBS } from '../../apps/control-plane/src/platform/jobs/queues.ts';
import { startConsole } from './console-app.mjs';

describe('installation', { timeout: 60_000 }, () => {
  let host;

  beforeAll(async () => {
    host = await startConsole();
    await installAxe(host.page.context());
    await host.become('OWNER');
    host.page.setDefaultTimeout(15_000);
  }, 120_000);
  afterAll(() => host?.stop());

  test('shows a failed job with its error, retries it and removes it', async () => {
    const { page } = host;
    await host.app.app.get(JobsQueue, { strict: false }).add('unknown-job', { n: 1 }, KEPT_JOBS);
    await host.goto('/jobs');
    await page.getByText('Failed 1', { exact: true }).click();
    await page.waitForURL(/\?state=FAILED/);
    const row = page.getByRole('table', { name: 'Jobs' }).getByRole('row', { name: /unknown-job/ });
    await row.getByText('1 of 1').waitFor();
    expect(await findViolations(page)).toEqual([]);
    await row.getByRole('button', { name: 'Retry' }).click();
    await row.getByText('2 of 2').waitFor();
    await row.getByRole('button', { name: 'unknown-job' }).click();
    const drawer = page.getByRole('dialog');
    await drawer.getByText(/Error: job unknown-job does not exist/).waitFor();
    await drawer.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('button', { name: 'Remove job' }).click();
    await page.getByRole('heading', { name: 'No failed jobs' }).waitFor();
  });

  test('logs no browser errors', () => {
    expect(host.errors).toEqual([]);
  });
});
