import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from '../run/root.mjs';

// Writes the tables of docs/operate/scaling.md from docs/benchmarks/constants.json. Each table is between the lines
// `<!-- begin NAME -->` and `<!-- end NAME -->`; the formulae are in the text beside it.

const PAGE = path.join(ROOT, 'docs/operate/scaling.md');
const { constants, operations, assumptions } = JSON.parse(
  readFileSync(path.join(ROOT, 'docs/benchmarks/constants.json'), 'utf8'),
);
const of = Object.fromEntries(Object.entries(constants).map(([name, { value }]) => [name, value]));

/** Peak decisions per second and tenants with traffic. */
const LOADS = [
  { decisions: 10_000, tenants: 1000 },
  { decisions: 1_000_000, tenants: 100_000 },
  { decisions: 10_000_000, tenants: 1_000_000 },
];
const LIMITS = 2;
const USERS = 100;
const SERIES_PER_TENANT = 7;
const ACTIVE = 0.1;
const BUSY = 0.5;
const HOURS = 730;
/** Rows of Postgres per series with the default retention. */
const KEPT_ROWS = 1440 * ACTIVE * 2 + 24 * 90 + 1096;

const figures = LOADS.map(figuresOf);
const TABLES = {
  constants: table(
    ['constant', 'value', 'measured in'],
    Object.entries(constants).map(([name, { value, unit, from }]) => [
      `\`${name}\``,
      `${value} ${unit}`,
      `[${from.replace(/#.*/, '')}](../benchmarks/${from})`,
    ]),
  ),
  decisions: table(
    ['caller', 'strict: node / Redis', 'leased: node / Redis'],
    [
      ['HTTP', pair(of.httpStrictNode, of.httpStrictRedis), pair(of.httpLeasedNode, of.httpLeasedRedis)],
      [
        'HTTP, batches of 100',
        pair(of.httpBatchNode, of.httpBatchRedis),
        pair(of.httpBatchLeasedNode, of.httpBatchLeasedRedis),
      ],
      ['gRPC', `${of.grpcStrictNode} / as HTTP`, `${of.grpcLeasedNode} / as HTTP`],
      ['each further limit', pair(of.furtherLimitNode, of.furtherLimitRedis), ''],
      ['in a cluster', `as above / × ${of.clusterRatio}`, ''],
      ['in a cluster that refuses runs across slots', `as above / ${of.clusterSeparateCall}`, ''],
    ],
  ),
  operations: table(
    ['call', 'µs of Redis'],
    Object.entries(operations)
      .filter(([name]) => name !== 'openTenant' && name !== 'decideBytes')
      .map(([name, cost]) => [
        `\`${name}\``,
        typeof cost === 'number' ? cost : `${cost.base} + ${cost.each} × n`,
      ]),
  ),
  loads: table(
    [
      'peak D, tenants T',
      ...LOADS.map(({ decisions, tenants }) => `${count(decisions)}/s, ${count(tenants)}`),
    ],
    Object.entries(figures[0] ?? {}).map(([name, { as }]) => [
      name,
      ...figures.map((figure) => as(figure[name].value)),
    ]),
  ),
};

let page = readFileSync(PAGE, 'utf8');
for (const [name, text] of Object.entries(TABLES)) page = replaceTable(page, name, text);
writeFileSync(PAGE, page);

/** Every row of the table of loads, with its way of writing. */
function figuresOf({ decisions, tenants }) {
  const further = LIMITS - 1;
  const counters = (USERS + 1) * tenants;
  const single = decisions * (of.httpStrictRedis + of.furtherLimitRedis * further) * growthOf(counters);
  const isClustered = single > BUSY * 1e6;
  const inCluster = decisions * (of.httpStrictRedis + of.furtherLimitRedis * further) * of.clusterRatio;
  const mastersFor = (us) => Math.max(3, Math.ceil(us / (BUSY * 1e6)));
  const masters = isClustered ? mastersFor(inCluster * growthOf(counters / mastersFor(inCluster))) : 1;
  const perDecision = of.httpStrictNode + of.furtherLimitNode * further;
  const processes = Math.max(2, Math.ceil((decisions * perDecision) / (BUSY * 1e6)) + 1);
  const batched = of.httpBatchNode + of.furtherLimitNode * further;
  const inBatches = Math.max(2, Math.ceil((decisions * batched) / (BUSY * 1e6)) + 1);
  const processMb = of.processMemory + (Math.min(tenants, 100_000) * of.tenantInProcess) / 1000;
  const series = SERIES_PER_TENANT * tenants;
  const cores = processes + masters + 2;
  const memoryGb =
    (processes * processMb) / 1000 + (counters * of.counterBytes) / 1e9 + (tenants * of.tenantInRedis) / 1e9;
  const diskGb = (series * KEPT_ROWS * of.usageRowBytes) / 1e9;
  return {
    'nodes of one core, single requests': figure(processes, count),
    'nodes of one core, batches of 100': figure(inBatches, count),
    'counter Redis: masters at half a core': figure(masters, count),
    'memory of each node': figure(processMb * 1e6, bytes),
    'memory of all counters': figure(counters * of.counterBytes, bytes),
    'counter Redis: maxmemory of each master': figure((2 * counters * of.counterBytes) / masters, bytes),
    'policy Redis: tenants': figure(tenants * of.tenantInRedis, bytes),
    'network, callers to nodes': figure(decisions * assumptions.httpBytes * 8, bits),
    'network, nodes to counters': figure(decisions * LIMITS * operations.decideBytes * 8, bits),
    'policy Redis: polls, reports and frames, of a core': figure(
      policyLoad(processes, series * ACTIVE) / 1e6,
      percent,
    ),
    'a change of 500 tenants: queue at the policy Redis': figure(fanOut(processes) / 1000, milliseconds),
    'usage: series in a minute': figure(series * ACTIVE, count),
    'usage: nodes needed for their series': figure(Math.ceil((series * ACTIVE) / 5000), count),
    'Postgres: rows per day': figure(series * (1440 * ACTIVE + 25), count),
    'Postgres: rows kept': figure(series * KEPT_ROWS, count),
    'Postgres: disk': figure(diskGb * 1e9, bytes),
    'Postgres: time to count a pass': figure(
      (series * ACTIVE * of.countingPer5000Series) / 5000,
      milliseconds,
    ),
    'cost per month, USD': figure(
      HOURS * (cores * assumptions.coreHourUsd + memoryGb * assumptions.gigabyteHourUsd) +
        diskGb * assumptions.diskGigabyteMonthUsd,
      count,
    ),
  };
}

/** Factor of the cost of a decision on a server with this number of counters. */
function growthOf(counters) {
  if (counters <= 100_000) return 1;
  return counters <= 1_000_000 ? of.growthMillion : of.growthFiveMillion;
}

/** µs per second of the policy Redis, without changes. @param series active ones, reported by the nodes once a second */
function policyLoad(nodes, series) {
  const { poll, writeReport, readReports, writeFrame } = operations;
  const reports = (nodes / 3) * (writeReport + readReports.base + readReports.each * nodes);
  return (nodes / 2) * poll + reports + nodes * writeFrame.base + series * writeFrame.each;
}

/** µs until the policy Redis has answered all nodes, each of which has all 500 tenants in memory. */
function fanOut(nodes) {
  const { publish, poll, readTenants } = operations;
  return publish.base + nodes * (publish.each + poll + readTenants.base + 500 * readTenants.each);
}

function pair(node, redis) {
  return `${node} / ${redis}`;
}

function figure(value, as) {
  return { value, as };
}

function replaceTable(text, name, rows) {
  const [begin, end] = [`<!-- begin ${name} -->\n`, `<!-- end ${name} -->`];
  const from = text.indexOf(begin) + begin.length;
  const to = text.indexOf(end);
  if (from < begin.length || to < from) throw new Error(`docs/operate/scaling.md has no table ${name}`);
  return `${text.slice(0, from)}\n${rows}\n\n${text.slice(to)}`;
}

function table(columns, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(columns), `|${'---|'.repeat(columns.length)}`, ...rows.map(line)].join('\n');
}

function count(value) {
  if (value >= 1e9) return `${significant(value / 1e9)} billion`;
  if (value >= 1e6) return `${significant(value / 1e6)} million`;
  return Math.round(value).toLocaleString('en-US');
}

function bytes(value) {
  return scaled(value, ['B', 'kB', 'MB', 'GB', 'TB', 'PB']);
}

function bits(value) {
  return scaled(value, ['bit/s', 'kbit/s', 'Mbit/s', 'Gbit/s', 'Tbit/s']);
}

function milliseconds(value) {
  return value < 1000 ? `${significant(value)} ms` : `${significant(value / 1000)} s`;
}

function percent(part) {
  return `${significant(part * 100)} %`;
}

function scaled(value, units) {
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, value)) / 3));
  return `${significant(value / 1000 ** power)} ${units[power]}`;
}

/** Two digits, or all of a whole number. */
function significant(value) {
  return value >= 10 ? String(Math.round(value)) : String(Number(value.toPrecision(2)));
}
