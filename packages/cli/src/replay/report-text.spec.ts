import { describe, expect, it } from 'vitest';
import type { ReplayReport } from './report.js';
import { formatProgress, formatReport, formatTookMs, printable } from './report-text.js';

const REPORT: ReplayReport = {
  file: 'access.log.gz',
  tenant: 'northwind',
  api: 'website',
  end: 'complete',
  tookMs: 2000,
  lines: 10_000,
  requests: 9999,
  allowed: 8377,
  denied: 1600,
  degraded: 3,
  unlimited: 12,
  errors: [{ kind: 'ECONNRESET', count: 22, example: 'socket hang up' }],
  malformed: {
    count: 9,
    examples: [{ lineNumber: 8899, problem: 'not in Apache combined format', text: 'a\u001b[2Jb' }],
  },
  deniedByLimit: [
    { limit: 'client-minute', denied: 1396 },
    { limit: 'client-rate', denied: 204 },
  ],
  byOperation: [{ operation: 'blog', requests: 9999, denied: 1600 }],
  mostLimitedClients: [{ client: '66.249.73.135', requests: 482, denied: 422 }],
  latencyMs: { p50: 5.74, p99: 24.9, max: 112.51 },
  worstLagMs: 46,
  revisions: [7, 8],
  recount: {
    charges: 18_318,
    counters: 2485,
    overAdmitted: 2,
    contradictions: 1,
    leftOut: [{ reason: 'the log does not contain the end of requests (concurrency)', charges: 4 }],
    findings: ['client-minute for 66.249.73.135: 62 admitted'],
  },
};

describe('report', () => {
  it('reports everything that happened, in order', () => {
    expect(formatReport(REPORT)).toBe(
      `
Replayed access.log.gz for northwind, website: 10,000 lines in 2.0 s (5,000/s).
Limits were published meanwhile: policy revisions 7, 8; each is recounted.
No limit applies to 12 of the requests.

  requests         9,999
  allowed          8,377
  denied           1,600
  degraded             3
  errors              22
  malformed lines      9

Denied by limit
  limit          denied
  client-minute   1,396
  client-rate       204

By operation
  operation  requests  denied
  blog          9,999   1,600

Most limited clients
  client         requests  denied
  66.249.73.135       482     422

Errors
  kind        requests  first
  ECONNRESET        22  socket hang up

Malformed lines, the first 1
  line 8899: not in Apache combined format
    a\\x1b[2Jb

Latency: p50 5.7 ms, p99 24.9 ms, max 112.5 ms
Up to 46 ms behind the recorded pace

Over-admission: 2 (18,318 admissions at 2,485 counters recounted)
  Answers with an impossible reset: 1. If the clocks of this machine and of Redis differ, set --clock-tolerance.
  Admissions not recounted: 4, because the log does not contain the end of requests (concurrency).
  Degraded answers not recounted: 3. They were not decided by the shared counters.
  client-minute for 66.249.73.135: 62 admitted
`.trim(),
    );
  });

  it('omits empty sections', () => {
    const text = formatReport({
      ...REPORT,
      end: 'interrupted',
      requests: 0,
      degraded: 0,
      unlimited: 0,
      errors: [],
      malformed: { count: 0, examples: [] },
      deniedByLimit: [],
      byOperation: [],
      mostLimitedClients: [],
      latencyMs: null,
      revisions: [],
      recount: { charges: 0, counters: 0, overAdmitted: 0, contradictions: 0, leftOut: [], findings: [] },
    });
    expect(text.split('\n\n')).toHaveLength(4);
    expect(text).toContain('interrupted.');
    expect(text).toContain('Latency: nothing was answered');
  });

  it('shows text from outside without anything that a terminal would act on', () => {
    expect(printable('ü\u001b[31m\u009b\u202e\u2028\ud800\n')).toBe(
      'ü\\x1b[31m\\x9b\\u{202e}\\u{2028}\\u{d800}\\x0a',
    );
  });
});

describe('progress', () => {
  const state = { lines: 4200, requests: 4200, denied: 1234, share: 0.42, tookMs: 2000 };

  it('shows the share that is done, the rate and the time left', () => {
    expect(formatProgress(state)).toBe(
      '[#######---------]  42 %  4,200 lines, 1,234 denied, 2,100/s, 2.8 s left',
    );
  });

  it('shows no bar where the end is not known', () => {
    expect(formatProgress({ ...state, share: undefined })).toBe('4,200 lines, 1,234 denied, 2,100/s');
    expect(formatProgress({ ...state, share: 0, tookMs: 0 })).toContain('0 %  4,200 lines');
  });

  it.each([
    [400, '0.4 s'],
    [12_400, '12 s'],
    [200_000, '3 min 20 s'],
    [18_120_000, '5 h 2 min'],
  ])('formats %i ms as %s', (ms, text) => {
    expect(formatTookMs(ms)).toBe(text);
  });
});
