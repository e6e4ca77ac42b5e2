import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { identifyProcess, isAlive } from './owned-service.js';

test('identifies a process by id and start time', () => {
  const identity = identifyProcess(process.pid);
  expect(identity).toEqual(identifyProcess(process.pid));
  expect(isAlive(identity ?? { pid: 0, startedAt: '' })).toBe(true);
  expect(isAlive({ pid: process.pid, startedAt: 'earlier' })).toBe(false);
});

test('finds no identity of an exited process', async () => {
  const child = spawn(process.execPath, ['-e', '']);
  await once(child, 'exit');
  expect(identifyProcess(child.pid ?? 0)).toBeUndefined();
});

test.each([0, 1, -1, Number.NaN, 2 ** 53])('%s is never taken for a process of ours', (pid) => {
  expect(identifyProcess(pid)).toBeUndefined();
});
