import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ReplayReport } from '../src/replay/report.js';
import { gcraLimit, windowLimit } from './limits.js';
import { SAMPLE, startTollgate } from './run-tollgate.js';
import { type RunningDecisionApi, startDecisionApi } from './running-decision-api.js';

const LIMITS = [
  windowLimit(),
  gcraLimit({ operations: ['images', 'files'] }),
  gcraLimit({ name: 'site-rate', per: [], limit: 100_000, burst: 499 }),
];

let api: RunningDecisionApi;

beforeEach(async () => {
  api = await startDecisionApi(LIMITS);
});

afterEach(() => api.stop());

/** Starts a replay of the sample that prints its report as JSON. */
function startReplay(...flags: string[]) {
  const env = { TOLLGATE_URL: api.url, TOLLGATE_TOKEN: api.token };
  const { child, finished } = startTollgate(['replay', SAMPLE, '--json', ...flags], env);
  const report = finished.then(({ exitCode, stdout, stderr }) => {
    if (stdout === '') throw new Error(`no report, exit code ${exitCode}: ${stderr}`);
    return { exitCode, report: JSON.parse(stdout) as ReplayReport };
  });
  return { child, report };
}

describe('tollgate replay', () => {
  it('sends a real log through a real decision API and finds nothing admitted beyond the limits', async () => {
    const { exitCode, report } = await startReplay().report;
    expect(report).toMatchObject({ end: 'complete', lines: 1000, requests: 1000, degraded: 0, errors: [] });
    expect(report.allowed + report.denied).toBe(1000);
    expect(report.mostLimitedClients).toHaveLength(10);
    expect(report.mostLimitedClients[0]).toMatchObject({ client: '75.97.9.59', requests: 197 });
    expect(report.deniedByLimit.map(({ limit }) => limit)).toContain('client-minute');
    expect(report.recount).toMatchObject({ overAdmitted: 0, contradictions: 0, leftOut: [], findings: [] });
    expect(report.recount.charges).toBeGreaterThan(report.allowed);
    expect(exitCode).toBe(0);
  });

  it('finds over-admission after the server lost its counters, and exits with 1', async () => {
    const { child, report: running } = startReplay('--concurrency', '1');
    while (child.exitCode === null) await api.forgetCounters();
    const { exitCode, report } = await running;
    expect(report.recount.overAdmitted).toBeGreaterThan(0);
    expect(report.recount.findings[0]).toContain('client-');
    expect(exitCode).toBe(1);
  });

  it('recounts by the limits of each revision when others are published meanwhile', async () => {
    const { child, report: running } = startReplay('--concurrency', '2');
    for (let limitMax = 10; child.exitCode === null; limitMax = limitMax === 10 ? 5 : 10) {
      await api.publish([
        windowLimit({ limit: limitMax }),
        gcraLimit({ operations: ['images'], burst: limitMax }),
      ]);
    }
    const { exitCode, report } = await running;
    expect(report.revisions.length).toBeGreaterThan(1);
    expect(report.recount.charges).toBeGreaterThan(0);
    expect(report.recount).toMatchObject({ overAdmitted: 0, contradictions: 0 });
    expect(exitCode).toBe(0);
  });

  it('prints the results so far when interrupted', async () => {
    const { child, report: running } = startReplay('--speed', '1');
    child.stderr?.once('data', () => child.kill('SIGINT'));
    const { exitCode, report } = await running;
    expect(report.end).toBe('interrupted');
    expect(report.requests).toBeLessThan(1000);
    expect(report.recount.overAdmitted).toBe(0);
    expect(exitCode).toBe(130);
  });

  it('reports an invalid token and exits with 2 before sending anything', async () => {
    const { finished } = startTollgate([
      'replay',
      SAMPLE,
      '--url',
      api.url,
      '--token',
      `${api.token.slice(0, -1)}!`,
    ]);
    const { exitCode, stdout, stderr } = await finished;
    expect(stderr).toContain('The service token is not valid (token-invalid)');
    expect(stdout).toBe('');
    expect(exitCode).toBe(2);
  });
});
