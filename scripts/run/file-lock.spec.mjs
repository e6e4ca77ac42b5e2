import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { takeLock } from './file-lock.mjs';

let file;

beforeEach(() => {
  file = path.join(mkdtempSync(path.join(tmpdir(), 'tollgate-lock-')), 'lock');
});

afterEach(() => {
  rmSync(path.dirname(file), { recursive: true, force: true });
});

test('takes a free lock and releases it', () => {
  takeLock(file).release();
  expect(existsSync(file)).toBe(false);
  expect(takeLock(file)).toHaveProperty('release');
});

test('names the live process that holds a lock', () => {
  const lock = takeLock(file);
  expect(lock).toHaveProperty('release');
  expect(takeLock(file)).toEqual({ holder: process.pid });
});

test('takes over the lock of a dead process', () => {
  writeFileSync(file, JSON.stringify({ pid: 2 ** 22 + 1, startedAt: '1' }));
  expect(takeLock(file)).toHaveProperty('release');
});

test.each(['', '{"pid":', 'null', '{}'])('a lock that a crash has torn (%j) is taken over', (text) => {
  writeFileSync(file, text);
  expect(takeLock(file)).toHaveProperty('release');
});

test('takes over the lock of an earlier process with a reused id', () => {
  writeFileSync(file, JSON.stringify({ pid: process.ppid, startedAt: 'long ago' }));
  expect(takeLock(file)).toHaveProperty('release');
});
