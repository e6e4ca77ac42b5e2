// Runs each benchmark in its own process. A benchmark is a file `<folder>/<name>.bench.*`; it measures its contenders in turns and
// reports medians of its rounds. A run with goals ends with all of them, also written to <out>.md and <out>.json.
// Usage: pnpm bench [names or folders] [--rounds 5] [--ms 500] [--out .tollgate/bench] [options of the benchmarks]
import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { usePrograms } from '../../scripts/bootstrap/programs.mjs';
import { HOME, ROOT } from '../../scripts/run/root.mjs';
import { GOALS_FILE, goalResults, goalTable, isWithGoals } from './goals.ts';
import { ROUNDS, whereMeasured } from './measure.ts';

const COMPILED = new URL('../compiled.mjs', import.meta.url).href;

/** What `pnpm bench` runs without names: all benchmarks with goals. */
const DEFAULT = ['decisions', 'http', 'grpc'];

/** Paths of the benchmarks, which name folder and benchmark. */
const files = globSync('*/*.bench.{ts,mjs}', { cwd: import.meta.dirname }).sort();

usePrograms();
const args = process.argv.slice(2).filter((arg) => arg !== '--');
const firstOption = args.findIndex((arg) => arg.startsWith('--'));
const names = firstOption < 0 ? args : args.slice(0, firstOption);
const options = firstOption < 0 ? [] : args.slice(firstOption);
const { out, rounds, ms } = readOptions();

const chosen = (names.length > 0 ? names : DEFAULT).flatMap(filesOf);
const folder = mkdtempSync(path.join(os.tmpdir(), 'tollgate-bench-'));
const goalsFile = path.join(folder, 'goals');
writeFileSync(goalsFile, '');
const failed = new Map();
try {
  for (const file of chosen) {
    const name = nameOf(file);
    console.log(`\n## ${name}\n`);
    const { status, signal } = spawnSync(
      process.execPath,
      [
        '--no-warnings',
        '--expose-gc',
        '--import',
        COMPILED,
        path.join(import.meta.dirname, file),
        ...options,
      ],
      { stdio: 'inherit', cwd: ROOT, env: { ...process.env, [GOALS_FILE]: goalsFile } },
    );
    if (signal === 'SIGINT') process.exit(130);
    if (status !== 0) failed.set(name, `${name} ended with ${signal ?? `exit code ${status}`}`);
  }
  if (chosen.some((file) => isWithGoals(nameOf(file)))) print(goalResults(readReports(), reasonWithout));
} finally {
  rmSync(folder, { recursive: true });
}
for (const reason of failed.values()) console.error(reason);
process.exitCode = failed.size > 0 ? 1 : 0;

/** Options of the runner; all but `--out` go to the benchmarks too, which reject those that they do not know. */
function readOptions() {
  const { values } = parseArgs({
    args: options,
    options: { out: { type: 'string' }, rounds: { type: 'string' }, ms: { type: 'string' } },
    strict: false,
  });
  return {
    out: path.resolve(typeof values.out === 'string' ? values.out : path.join(HOME, 'bench')),
    rounds: Number(values.rounds ?? ROUNDS.rounds),
    ms: Number(values.ms ?? ROUNDS.ms),
  };
}

/** @param name of a benchmark or a folder */
function filesOf(name) {
  const found = files.filter((file) => path.dirname(file) === name || nameOf(file) === name);
  if (found.length > 0) return found;
  const folders = new Set(files.map((file) => path.dirname(file)));
  throw new Error(`unknown benchmark ${name}; available: ${[...folders, ...files.map(nameOf)].join(', ')}`);
}

function nameOf(file) {
  return path.basename(file).replace(/\.bench\.\w+$/, '');
}

function readReports() {
  const lines = readFileSync(goalsFile, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line));
}

function reasonWithout(name) {
  const isChosen = chosen.some((file) => nameOf(file) === name);
  return failed.get(name) ?? (isChosen ? `${name} does not measure it` : `${name} did not run`);
}

/** Prints the results and writes them to files. */
function print(results) {
  const where = `${whereMeasured()} at the end`;
  const text = `${where}; medians of ${rounds} interleaved rounds of ${ms} ms\n\n${goalTable(results)}\n`;
  mkdirSync(path.dirname(out), { recursive: true });
  writeFileSync(`${out}.md`, text);
  writeFileSync(`${out}.json`, `${JSON.stringify({ where, rounds, results }, null, 2)}\n`);
  console.log(`\n## goals\n\n${text}`);
  console.log(`Written to ${out}.md and ${out}.json`);
}
