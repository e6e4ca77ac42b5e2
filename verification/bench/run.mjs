import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { usePrograms } from '../../scripts/bootstrap/programs.mjs';
import { HOME, ROOT } from '../../scripts/run/root.mjs';
import { GOALS_FILE, goalResults, goalTable } from './goals.ts';

// Usage: pnpm bench [-- --only decide,http] [--rounds 5] [--ms 500] [--out .tollgate/bench]
// Runs each benchmark in its own process, then prints every goal with its measurement, and writes this table to <out>.md and
// <out>.json. A benchmark measures its contenders in turns and reports medians of its rounds.

usePrograms();

const DECISIONS = 'verification/bench/decisions';
const API = 'verification/bench/api/main.ts';

/** Arguments of `node` for each benchmark, by name; the length of a round follows. */
const BENCHES = {
  ...files(DECISIONS, ['decide', 'algorithms', 'limits', 'script-cpu', 'growth', 'memory', 'cluster']),
  ...files(DECISIONS, ['lease', 'in-process', 'caller-keys', 'traffic']),
  http: [API, '--only', 'http'],
  grpc: [API, '--only', 'grpc'],
  elastic: [`${DECISIONS}/elastic.bench.ts`],
  outage: [`${DECISIONS}/outage.bench.ts`],
};

function files(folder, names) {
  return Object.fromEntries(names.map((name) => [name, [`${folder}/${name}.bench.ts`]]));
}

/** Benchmarks measured in seconds instead of rounds. */
const IN_SECONDS = new Set(['elastic', 'outage']);

const { values } = parseArgs({
  args: process.argv.slice(2).filter((arg) => arg !== '--'),
  options: {
    only: { type: 'string', default: Object.keys(BENCHES).join() },
    rounds: { type: 'string', default: '5' },
    ms: { type: 'string', default: '500' },
    out: { type: 'string', default: path.join(HOME, 'bench') },
  },
});
const chosen = values.only.split(',');
for (const name of chosen) {
  if (!Object.hasOwn(BENCHES, name)) {
    throw new Error(`unknown benchmark ${name}; available: ${Object.keys(BENCHES).join(', ')}`);
  }
}
const rounds = ['--rounds', values.rounds, '--ms', values.ms];

const folder = mkdtempSync(path.join(os.tmpdir(), 'tollgate-bench-'));
const goalsFile = path.join(folder, 'goals');
writeFileSync(goalsFile, '');
const failed = new Map();
try {
  for (const name of chosen) {
    console.log(`\n## ${name}\n`);
    const { status, signal } = spawnSync(
      process.execPath,
      [
        '--import',
        './verification/compiled.mjs',
        ...BENCHES[name],
        ...(IN_SECONDS.has(name) ? ['--seconds', '4'] : rounds),
      ],
      { stdio: 'inherit', cwd: ROOT, env: { ...process.env, [GOALS_FILE]: goalsFile } },
    );
    if (signal === 'SIGINT') process.exit(130);
    if (status !== 0) failed.set(name, `${name} ended with ${signal ?? `exit code ${status}`}`);
  }
  const reports = readFileSync(goalsFile, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
  print(goalResults(reports, (name) => failed.get(name) ?? reasonWithout(name)));
} finally {
  rmSync(folder, { recursive: true });
}
for (const reason of failed.values()) console.error(reason);
process.exitCode = failed.size > 0 ? 1 : 0;

function reasonWithout(name) {
  return chosen.includes(name) ? `${name} does not measure it` : `${name} did not run`;
}

/** Prints the results and writes them to files. */
function print(results) {
  const [cpu] = os.cpus();
  const where = `${cpu?.model ?? 'unknown CPU'} × ${os.cpus().length}, Node ${process.version}, load ${os.loadavg()[0]?.toFixed(2)} at the end`;
  const text = `${where}; medians of ${values.rounds} interleaved rounds of ${values.ms} ms\n\n${goalTable(results)}\n`;
  const out = path.resolve(values.out);
  mkdirSync(path.dirname(out), { recursive: true });
  writeFileSync(`${out}.md`, text);
  writeFileSync(`${out}.json`, `${JSON.stringify({ where, rounds, results }, null, 2)}\n`);
  console.log(`\n## goals\n\n${text}`);
  console.log(`Written to ${out}.md and ${out}.json`);
}
