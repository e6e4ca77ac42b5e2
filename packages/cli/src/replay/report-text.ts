import { formatCount } from '@tollgate/contracts/limit-title';
import { type ReplayReport } from './report.js';

type Cell = string | number;

/** `0.4 s`, `12 s`, `3 min 20 s`, `5 h 2 min`. */
export function formatTookMs(ms: number): string {
  if (ms < 9_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60
    ? `${minutes} min ${seconds % 60} s`
    : `${formatCount(Math.floor(minutes / 60))} h ${minutes % 60} min`;
}

/** Aligned columns, numbers right-aligned, indented by two spaces. */
export function formatTable(rows: readonly (readonly Cell[])[], head?: readonly string[]): string {
  const texts = rows.map((row) => row.map((cell) => (typeof cell === 'number' ? formatCount(cell) : cell)));
  const all = head === undefined ? texts : [[...head], ...texts];
  const widths = all[0]?.map((_, i) => Math.max(...all.map((row) => (row[i] ?? '').length))) ?? [];
  return all
    .map((row) => {
      const cells = row.map((text, i) => {
        const width = widths[i] ?? 0;
        return typeof rows[0]?.[i] === 'number' ? text.padStart(width) : text.padEnd(width);
      });
      return `  ${cells.join('  ')}`.trimEnd();
    })
    .join('\n');
}

/** Escapes control and direction characters of untrusted text for a terminal. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, (character) => {
    const code = (character.codePointAt(0) ?? 0).toString(16);
    return code.length <= 2 ? `\\x${code.padStart(2, '0')}` : `\\u{${code}}`;
  });
}

const BAR_WIDTH = 16;

export interface ProgressState {
  lines: number;
  requests: number;
  denied: number;
  share: number | undefined;
  tookMs: number;
}

/** `[#####-----]  42 %  4,200 lines, 1,234 denied, 2,050/s, 3 s left` */
export function formatProgress({ lines, requests, denied, share, tookMs }: ProgressState): string {
  const rate = tookMs > 0 ? Math.round((requests * 1000) / tookMs) : 0;
  const counts = `${formatCount(lines)} lines, ${formatCount(denied)} denied, ${formatCount(rate)}/s`;
  if (share === undefined) return counts;
  const filled = Math.round(share * BAR_WIDTH);
  const bar = `[${'#'.repeat(filled)}${'-'.repeat(BAR_WIDTH - filled)}]`;
  const percent = `${Math.floor(share * 100)}`.padStart(3);
  const left = share > 0 ? `, ${formatTookMs((tookMs * (1 - share)) / share)} left` : '';
  return `${bar} ${percent} %  ${counts}${left}`;
}

/** Escapes all text from the log and the network. */
export function formatReport(report: ReplayReport): string {
  return [
    heading(report),
    formatTable([
      ['requests', report.requests],
      ['allowed', report.allowed],
      ['denied', report.denied],
      ['degraded', report.degraded],
      ['errors', report.errors.reduce((sum, { count }) => sum + count, 0)],
      ['malformed lines', report.malformed.count],
    ]),
    ...section('Denied by limit', report.deniedByLimit),
    ...section('By operation', report.byOperation),
    ...section('Most limited clients', report.mostLimitedClients),
    ...section(
      'Errors',
      report.errors.map(({ kind, count, example }) => ({ kind, requests: count, first: example })),
    ),
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
    hopeless: ', aborted',
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

/** Columns as the fields of the rows. */
function section(title: string, rows: readonly Record<string, Cell>[]): string[] {
  const [first] = rows;
  if (first === undefined) return [];
  const cells = rows.map((row) =>
    Object.values(row).map((cell) => (typeof cell === 'string' ? printable(cell) : cell)),
  );
  return [`${title}\n${formatTable(cells, Object.keys(first))}`];
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
  const lag = worstLagMs === null ? '' : `\nUp to ${worstLagMs} ms behind the recorded pace`;
  return `Latency: p50 ${ms(latencyMs.p50)}, p99 ${ms(latencyMs.p99)}, max ${ms(latencyMs.max)}${lag}`;
}

function recountText({ recount, degraded }: ReplayReport): string {
  const { charges, counters, overAdmitted, contradictions, leftOut, findings } = recount;
  const text = [
    `Over-admission: ${formatCount(overAdmitted)} (${formatCount(charges)} admissions at ${formatCount(counters)} counters recounted)`,
  ];
  if (contradictions > 0) {
    text.push(
      `  Answers with an impossible reset: ${formatCount(contradictions)}. If the clocks of this machine and of Redis differ, set --clock-tolerance.`,
    );
  }
  for (const { reason, charges: left } of leftOut) {
    text.push(`  Admissions not recounted: ${formatCount(left)}, because ${reason}.`);
  }
  if (degraded > 0) {
    text.push(
      `  Degraded answers not recounted: ${formatCount(degraded)}. They were not decided by the shared counters.`,
    );
  }
  for (const finding of findings) text.push(`  ${printable(finding)}`);
  return text.join('\n');
}
