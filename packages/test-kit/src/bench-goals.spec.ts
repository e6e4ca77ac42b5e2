import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { BENCH_GOALS, GOALS_FILE, goalResults, goalTable, reportGoal, skipGoal } from './bench-goals.js';

const notRun = (part: string) => `${part} did not run`;
const resultOf = (id: string, ...args: Parameters<typeof goalResults>) =>
  goalResults(...args).find((result) => result.id === id);

describe('goal results', () => {
  it('lists every goal, with the reason where nothing was reported', () => {
    const results = goalResults([], notRun);
    expect(results.map(({ id }) => id)).toEqual(Object.keys(BENCH_GOALS));
    expect(resultOf('keys-5m', [], notRun)).toMatchObject({
      measured: '',
      result: 'not measured: growth did not run',
    });
  });

  it('passes a measurement equal to its goal and fails the next worse one', () => {
    const of = (id: 'strict-1-gcra' | 'memory-alone', measured: number) =>
      resultOf(id, [{ id, measured }], notRun)?.result;
    expect([of('strict-1-gcra', 1), of('strict-1-gcra', 0.99)]).toEqual(['pass', 'fail']);
    expect([of('memory-alone', 150), of('memory-alone', 151)]).toEqual(['pass', 'fail']);
  });

  it('counts the last report of a goal', () => {
    const reports = [3, 4].map((measured) => ({ id: 'strict-512-gcra', measured }) as const);
    expect(resultOf('strict-512-gcra', reports, notRun)).toMatchObject({
      measured: '4.00 ×',
      result: 'pass',
    });
  });

  it('formats one line per goal', () => {
    const results = goalResults([{ id: 'leased-engine', measured: 1_145_014 }], notRun);
    expect(goalTable(results)).toContain(
      '\n| Leased decision | whole engine | 1,145,014/s | ≥ 2,500,000/s | fail |\n',
    );
  });
});

describe('reports of a benchmark', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'tollgate-goals-'));
  const file = path.join(folder, 'goals');

  afterEach(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });

  it('are lines of a file and of the output', () => {
    vi.stubEnv(GOALS_FILE, file);
    const log = vi.spyOn(console, 'log').mockReturnValue(undefined);
    reportGoal('http-cpu', 30.8);
    skipGoal('grpc-p99', 'no reference');
    expect(() => reportGoal('http-cpu', Number.NaN)).toThrow('http-cpu: NaN is not a measurement');
    expect(
      readFileSync(file, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([
      { id: 'http-cpu', measured: 30.8 },
      { id: 'grpc-p99', notMeasured: 'no reference' },
    ]);
    expect(log).toHaveBeenCalledWith(
      '\ngoal: HTTP API, strict, CPU per decision: 30.80 µs, ≤ 25.00 µs: fail',
    );
  });
});
