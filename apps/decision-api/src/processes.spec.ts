import cluster from 'node:cluster';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, vi } from 'vitest';
import { ProcessStates, sendTo } from './processes.js';

function states(processes: number) {
  let nowMs = 0;
  const tracked = new ProcessStates(processes, () => nowMs);
  /** Checks twice a second; the processes in `ready` report themselves ready. */
  const pass = (ms: number, ready: number[]) => {
    let result = tracked.check();
    for (const endMs = nowMs + ms; nowMs < endMs; ) {
      nowMs += 500;
      for (const number of ready) tracked.heard(number, true);
      result = tracked.check();
    }
    return result;
  };
  const sleep = (ms: number) => {
    nowMs += ms;
    return tracked.check();
  };
  return { tracked, pass, sleep };
}

it('are ready once all processes are', () => {
  const { tracked, pass } = states(2);
  expect(pass(1_000, [1]).areReady).toBe(false);
  expect(pass(1_000, [1, 2]).areReady).toBe(true);
  tracked.heard(2, false);
  expect(tracked.check().areReady).toBe(false);
});

it('tolerate a quick restart, but not a missing process', () => {
  const { tracked, pass } = states(2);
  pass(1_000, [1, 2]);
  tracked.ended(2);
  expect(pass(2_500, [1]).areReady).toBe(true);
  expect(pass(1_000, [1])).toEqual({ areReady: false, hung: [] });
});

it('name a process that is silent for ten seconds as hung', () => {
  const { pass } = states(2);
  pass(1_000, [1, 2]);
  expect(pass(10_000, [1]).hung).toEqual([]);
  expect(pass(500, [1]).hung).toEqual([2]);
});

it('blame no process after the primary process itself was stopped', () => {
  const { pass, sleep } = states(2);
  pass(1_000, [1, 2]);
  expect(sleep(60_000)).toEqual({ areReady: true, hung: [] });
});

it('send nothing to a process that has just ended', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'tollgate-worker-'));
  const exec = path.join(folder, 'worker.mjs');
  writeFileSync(exec, 'setInterval(() => undefined, 1000);');
  cluster.setupPrimary({ exec, execArgv: [] });
  const worker = cluster.fork();
  await once(worker, 'online');
  const onError = vi.fn();
  worker.on('error', onError);
  const ended = once(worker, 'exit');
  worker.process.kill('SIGKILL');
  // Until this process returns to its event loop, it does not know that the channel is broken.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  expect(worker.isConnected()).toBe(true);
  sendTo(worker, { kind: 'state', isReady: true });
  await ended;
  expect(onError).not.toHaveBeenCalled();
  rmSync(folder, { recursive: true });
});
