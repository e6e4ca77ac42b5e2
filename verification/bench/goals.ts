import { appendFileSync } from 'node:fs';

/** A goal of `pnpm bench`. */
export interface BenchGoal {
  /** Benchmark that measures it. */
  readonly part: string;
  /** Row of the table: the situation that is measured. */
  readonly row: string;
  /** The measurement. */
  readonly name: string;
  /** Absent for times and rates, which differ by machine: they are printed, and neither pass nor fail. */
  readonly goal?: number;
  readonly comparison?: 'at least' | 'at most';
  /** `×`: a ratio between two measurements of the same run. */
  readonly unit: '×' | 'µs' | '%' | 'B' | '/s';
}

type WithGoal = '×' | '%' | 'B';

const atLeast = (goal: number, unit: WithGoal) =>
  ({ goal, comparison: 'at least', unit }) satisfies Partial<BenchGoal>;
const atMost = (goal: number, unit: WithGoal) =>
  ({ goal, comparison: 'at most', unit }) satisfies Partial<BenchGoal>;
const printed = (unit: 'µs' | '/s') => ({ unit }) satisfies Partial<BenchGoal>;

const STRICT = { part: 'decide', row: 'Strict, 100,000 keys, ÷ rate-limiter-flexible' };
const SCRIPT = { part: 'script-cpu', row: 'Redis CPU of a common decision' };
const LOOP = { part: 'script-cpu', row: 'Redis CPU of a common decision ÷ MGET + INCRBY loop' };
const LIMITS = { part: 'limits', row: 'Each further limit of a request ÷ the first' };
const MEMORY = { part: 'memory', row: 'Redis memory of an active fixed window' };
const CLUSTER = {
  part: 'cluster',
  row: 'Cluster of 3 masters, 1,000 tenants ÷ single server with batches of the same size',
};
const ALL_TENANTS = { part: 'cluster', row: 'Cluster of 3 masters, limit on all tenants' };
const TRAFFIC = { part: 'traffic', row: 'Recorded decision' };
const HTTP_BARE = { part: 'http', row: 'HTTP API, CPU per decision ÷ a bare node:http answer' };
const GRPC_FIELD = { part: 'grpc', row: 'gRPC ÷ envoyproxy/ratelimit' };

/** All goals by id, in the order of the table. */
export const BENCH_GOALS = {
  'strict-512-gcra': { ...STRICT, name: 'gcra, 512 in flight', ...atLeast(3.5, '×') },
  'strict-512-fixed-window': { ...STRICT, name: 'fixed_window, 512 in flight', ...atLeast(3.5, '×') },
  'strict-512-gcra-p99': { ...STRICT, name: 'gcra, 512 in flight, p99', ...atMost(0.4, '×') },
  'strict-512-fixed-window-p99': {
    ...STRICT,
    name: 'fixed_window, 512 in flight, p99',
    ...atMost(0.4, '×'),
  },
  'strict-16-gcra': { ...STRICT, name: 'gcra, 16 in flight', ...atLeast(1.6, '×') },
  'strict-16-fixed-window': { ...STRICT, name: 'fixed_window, 16 in flight', ...atLeast(1.6, '×') },
  'strict-1-gcra': { ...STRICT, name: 'gcra, 1 in flight', ...atLeast(1, '×') },
  'strict-1-fixed-window': { ...STRICT, name: 'fixed_window, 1 in flight', ...atLeast(1, '×') },
  'script-10k-gcra': { ...SCRIPT, name: 'gcra, 10,000 keys', ...printed('µs') },
  'script-10k-fixed-window': { ...SCRIPT, name: 'fixed_window, 10,000 keys', ...printed('µs') },
  'script-100k-gcra': { ...SCRIPT, name: 'gcra, 100,000 keys', ...printed('µs') },
  'script-100k-fixed-window': { ...SCRIPT, name: 'fixed_window, 100,000 keys', ...printed('µs') },
  'script-10k-gcra-loop': { ...LOOP, name: 'gcra, 10,000 keys', ...atMost(1.48, '×') },
  'script-10k-fixed-window-loop': { ...LOOP, name: 'fixed_window, 10,000 keys', ...atMost(1.48, '×') },
  'script-100k-gcra-loop': { ...LOOP, name: 'gcra, 100,000 keys', ...atMost(1.5, '×') },
  'script-100k-fixed-window-loop': { ...LOOP, name: 'fixed_window, 100,000 keys', ...atMost(1.5, '×') },
  'script-10k-packed': { ...SCRIPT, name: 'fixed_window packed, 10,000 keys', ...printed('µs') },
  'script-100k-packed': { ...SCRIPT, name: 'fixed_window packed, 100,000 keys', ...printed('µs') },
  'script-10k-packed-loop': { ...LOOP, name: 'fixed_window packed, 10,000 keys', ...atMost(1.06, '×') },
  'script-100k-packed-loop': { ...LOOP, name: 'fixed_window packed, 100,000 keys', ...atMost(1.23, '×') },
  'limits-gcra': { ...LIMITS, name: 'gcra, 3 limits in one hash, 512 in flight', ...atMost(25, '%') },
  'limits-fixed-window': {
    ...LIMITS,
    name: 'fixed_window, 3 limits in one hash, 512 in flight',
    ...atMost(25, '%'),
  },
  'memory-alone': { ...MEMORY, name: 'in a separate key', ...atMost(150, 'B') },
  'memory-packed': { ...MEMORY, name: 'packed, 16 or more per hash', ...atMost(40, 'B') },
  'cluster-server': { ...CLUSTER, name: 'CPU of the masters', ...atMost(1.25, '×') },
  'cluster-client': { ...CLUSTER, name: 'CPU of the client', ...atMost(1.5, '×') },
  'cluster-all-tenants': { ...ALL_TENANTS, name: 'decisions', ...printed('/s') },
  'cluster-all-tenants-cpu': { ...ALL_TENANTS, name: 'CPU of the masters per decision', ...printed('µs') },
  'leased-engine': {
    part: 'lease',
    row: 'Leased decision',
    name: 'whole engine',
    ...printed('/s'),
  },
  'http-batch': {
    part: 'http',
    row: 'HTTP API, strict',
    name: 'decisions in batches of 100',
    ...printed('/s'),
  },
  'http-strict': { ...HTTP_BARE, name: 'strict', ...atMost(1.6, '×') },
  'http-leased': { ...HTTP_BARE, name: 'leased', ...atMost(1.2, '×') },
  'http-processes': {
    part: 'http',
    row: 'HTTP API, strict',
    name: 'decisions per CPU second, PROCESSES=2 ÷ PROCESSES=1',
    ...atLeast(0.9, '×'),
  },
  'grpc-cpu': {
    part: 'grpc',
    row: 'gRPC, strict',
    name: 'CPU per call ÷ empty node:http2',
    ...atMost(1.9, '×'),
  },
  'grpc-throughput': { ...GRPC_FIELD, name: 'throughput, two processes', ...atLeast(2, '×') },
  'grpc-p99': { ...GRPC_FIELD, name: 'p99, two processes', ...atMost(0.5, '×') },
  'tenants-100k': {
    part: 'in-process',
    row: 'In-process engine, time per decision',
    name: '100,000 tenants ÷ 1,000 tenants',
    ...atMost(1.15, '×'),
  },
  'keys-5m': {
    part: 'growth',
    row: 'Redis, time per decision',
    name: '5,000,000 keys ÷ 1,000 keys',
    ...atMost(1.5, '×'),
  },
  'traffic-record': { ...TRAFFIC, name: 'CPU of the node', ...printed('µs') },
  'traffic-replay': {
    ...TRAFFIC,
    name: 'replay of live policy and draft on one core',
    ...printed('/s'),
  },
  'traffic-p99': {
    ...TRAFFIC,
    name: 'p99 in Redis ÷ without recording, 64 in flight',
    ...atMost(1.05, '×'),
  },
  'traffic-stored': { ...TRAFFIC, name: 'stored', ...atMost(5, 'B') },
} as const satisfies Record<string, BenchGoal>;

export type BenchGoalId = keyof typeof BENCH_GOALS;

/** What a benchmark reported of a goal: the measurement, or why there is none. */
export type GoalReport = { readonly id: BenchGoalId } & (
  | { readonly measured: number }
  | { readonly notMeasured: string }
);

/** File to which benchmarks append one {@link GoalReport} as JSON per line; set by `pnpm bench`. */
export const GOALS_FILE = 'BENCH_GOALS_FILE';

/** Reports a measurement, in the unit of its goal: the median of all rounds. */
export function reportGoal(id: BenchGoalId, measured: number): void {
  if (!Number.isFinite(measured)) throw new Error(`${id}: ${measured} is not a measurement`);
  append({ id, measured });
}

/** Reports that a goal cannot be measured on this machine. */
export function skipGoal(id: BenchGoalId, reason: string): void {
  append({ id, notMeasured: reason });
}

function append(report: GoalReport): void {
  const file = process.env[GOALS_FILE];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(report)}\n`);
  const { row, name, goal, measured, result } = resultOf(report.id, report);
  console.log(`\n${row}: ${[name, measured, goal, result].filter((text) => text !== '').join(', ')}`);
}

/** A goal beside its measurement, as text. */
export interface GoalResult {
  readonly id: string;
  readonly row: string;
  readonly name: string;
  readonly measured: string;
  readonly goal: string;
  /** `pass`, `fail`, empty without a goal, or the reason why there is no measurement. */
  readonly result: string;
}

/**
 * The results of all goals, in the order of the table. The last report of a goal counts.
 *
 * @param missing returns why a benchmark reported nothing
 */
export function goalResults(reports: readonly GoalReport[], missing: (part: string) => string): GoalResult[] {
  const last = new Map(reports.map((report) => [report.id, report]));
  return (Object.keys(BENCH_GOALS) as BenchGoalId[]).map((id) =>
    resultOf(id, last.get(id) ?? { id, notMeasured: missing(BENCH_GOALS[id].part) }),
  );
}

function resultOf(id: BenchGoalId, report: GoalReport): GoalResult {
  const { row, name, goal, comparison, unit }: BenchGoal = BENCH_GOALS[id];
  const sign = comparison === 'at least' ? '≥' : '≤';
  const common = { id, row, name, goal: goal === undefined ? '' : `${sign} ${quantity(goal, unit)}` };
  if ('notMeasured' in report)
    return { ...common, measured: '', result: `not measured: ${report.notMeasured}` };
  const { measured } = report;
  const shown = { ...common, measured: quantity(measured, unit) };
  if (goal === undefined) return { ...shown, result: '' };
  const isMet = comparison === 'at least' ? measured >= goal : measured <= goal;
  return { ...shown, result: isMet ? 'pass' : 'fail' };
}

function quantity(value: number, unit: BenchGoal['unit']): string {
  if (unit === '/s') return `${Math.round(value).toLocaleString('en-US')}/s`;
  const digits = unit === '×' || unit === 'µs' ? 2 : 0;
  return `${value.toFixed(digits)} ${unit}`;
}

/** The results as a Markdown table. */
export function goalTable(results: readonly GoalResult[]): string {
  return [
    '| | | measured | goal | |',
    '|---|---|---|---|---|',
    ...results.map((of) => `| ${[of.row, of.name, of.measured, of.goal, of.result].join(' | ')} |`),
  ].join('\n');
}

/** Whether a benchmark measures rows of the table. */
export function isWithGoals(name: string): boolean {
  return Object.values(BENCH_GOALS).some(({ part }) => part === name);
}
