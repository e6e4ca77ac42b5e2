import { formatCount, formatTable, formatTookMs, printable } from './format.js';
import type { ReplayReport } from './report.js';

/** The report as people read it. Nothing from the log or the network reaches a terminal unescaped. */
export function formatReport(report: ReplayReport): string {
  return [
    heading(report),
    formatTable([
      ['requests', report.requests],
      ['allowed', report.allowed],
      ['refused', report.refused],
      ['degraded', report.degraded],
      ['errors', report.errors.reduce((sum, { count }) => sum + count, 0)],
      ['malformed lines', report.malformed.count],
    ]),
    ...section('Refused by limit', ['limit', 'refused'], report.refusedByLimit, ({ limit, refused }) => [
      printable(limit),
      refused,
    ]),
    ...section(
      'By operation',
      ['operation', 'requests', 'refused'],
      report.byOperation,
      ({ operation, requests, refused }) => [operation, requests, refused],
    ),
    ...section(
      'Most limited clients',
      ['client', 'requests', 'refused'],
      report.mostLimitedClients,
      ({ client, requests, refused }) => [client, requests, refused],
    ),
    ...section('Errors', ['kind', 'requests', 'first'], report.errors, ({ kind, count, example }) => [
      printable(kind),
      count,
      printable(example),
    ]),
    ...malformedLines(report),
    latency(report),
    recountText(report),
  ].join('\n\n');
}

function heading({
  file,
  tenant,
  api,
  end,
  tookMs,
  lines,
  requests,
  revisions,
  unlimited,
}: ReplayReport): string {
  const ends = {
    complete: '',
    interrupted: ', interrupted',
    hopeless: ', given up',
    unreadable: ', log cut short',
  };
  const rate = tookMs > 0 ? ` (${formatCount(Math.round((requests * 1000) / tookMs))}/s)` : '';
  const text = [
    `Replayed ${printable(file)} for ${tenant}, ${api}: ${formatCount(lines)} lines in ${formatTookMs(tookMs)}${rate}${ends[end]}.`,
  ];
  if (revisions.length > 1) {
    text.push(
      `Limits were published meanwhile: policy revisions ${revisions.join(', ')}; each is recounted.`,
    );
  }
  if (unlimited > 0) text.push(`No limit applies to ${formatCount(unlimited)} of the requests.`);
  return text.join('\n');
}

function section<T>(
  title: string,
  head: string[],
  rows: readonly T[],
  cells: (row: T) => (string | number)[],
): string[] {
  return rows.length === 0 ? [] : [`${title}\n${formatTable(rows.map(cells), head)}`];
}

function malformedLines({ malformed: { count, examples } }: ReplayReport): string[] {
  if (count === 0) return [];
  const shown = examples.map(
    ({ lineNumber, problem, text }) => `  line ${lineNumber}: ${problem}\n    ${printable(text)}`,
  );
  const title = count > examples.length ? `Malformed lines, the first ${examples.length}` : 'Malformed lines';
  return [`${title}\n${shown.join('\n')}`];
}

function latency({ latencyMs, worstLagMs }: ReplayReport): string {
  if (latencyMs === null) return 'Latency: nothing was answered';
  const ms = (value: number) => `${value.toFixed(1)} ms`;
  const lag = worstLagMs === null ? '' : `\nBehind the recorded pace by ${worstLagMs} ms at most`;
  return `Latency: p50 ${ms(latencyMs.p50)}, p99 ${ms(latencyMs.p99)}, max ${ms(latencyMs.max)}${lag}`;
}

function recountText({ recount, degraded }: ReplayReport): string {
  const { charges, counters, overAdmitted, contradictions, leftOut, findings } = recount;
  const text = [
    `Over-admission: ${formatCount(overAdmitted)} (${formatCount(charges)} admissions at ${formatCount(counters)} counters recounted)`,
  ];
  if (contradictions > 0) {
    text.push(
      `  Answers whose reset cannot be true: ${formatCount(contradictions)}. Where the clocks of this machine and of Redis differ, say by how much with --clock-tolerance.`,
    );
  }
  for (const { reason, charges: left } of leftOut) {
    text.push(`  Admissions left out: ${formatCount(left)}, because ${reason}.`);
  }
  if (degraded > 0) {
    text.push(
      `  Degraded answers left out: ${formatCount(degraded)}. They were not decided by the shared counters.`,
    );
  }
  for (const finding of findings) text.push(`  ${printable(finding)}`);
  return text.join('\n');
}
