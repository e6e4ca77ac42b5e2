import type { NodeReport } from '@tollgate/contracts';
import { expect, it } from 'vitest';
import { NodeReporter } from './node-reporter.js';

const reportOf = (nodeId: string, seenAtMs: number): NodeReport => ({
  nodeId,
  epoch: 'e',
  version: 'test',
  startedAtMs: 0,
  seenAtMs,
  revision: 1,
  applyLatencyMs: null,
  nack: null,
  degraded: false,
});

it('does not count a node without a new report for 15 s by this process, and counts it again after one', async () => {
  let nowMs = 0;
  // Its clock is a minute slow.
  const reports = new Map([['other', reportOf('other', -60_000)]]);
  const reporter = new NodeReporter({
    report: () => reportOf('self', nowMs),
    send: (report) => Promise.resolve(void reports.set(report.nodeId, report)),
    readReports: () => Promise.resolve([...reports.values()]),
    onError: (message, error) => {
      throw new Error(message, { cause: error });
    },
    clockMs: () => nowMs,
  });
  const nodesAt = async (atMs: number) => {
    nowMs = atMs;
    reporter.reportNow();
    await reporter.close();
    return reporter.nodes;
  };
  expect(await nodesAt(1000)).toBe(2);
  expect(await nodesAt(15_999)).toBe(2);
  expect(await nodesAt(16_000)).toBe(1);
  reports.set('other', reportOf('other', -44_000));
  expect(await nodesAt(17_000)).toBe(2);
  reports.delete('other');
  expect(await nodesAt(18_000)).toBe(1);
});
