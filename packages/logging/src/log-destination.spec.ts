import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { LogDestination } from './log-destination.js';

it('reports the number of dropped lines once the reader catches up', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'tollgate-log-'));
  execFileSync('mkfifo', [path.join(folder, 'pipe')]);
  const fd = openSync(path.join(folder, 'pipe'), constants.O_RDWR | constants.O_NONBLOCK);
  const destination = new LogDestination(fd, (count) => `missing ${count}`);
  for (let i = 0; i < 20_000; i++) destination.write(`${'x'.repeat(99)}\n`);
  const { droppedLines } = destination;
  expect(droppedLines).toBeGreaterThan(8000);
  let read = '';
  const chunk = Buffer.alloc(65_536);
  const readMore = () => {
    try {
      for (;;) read += chunk.toString('latin1', 0, readSync(fd, chunk));
    } catch {
      return read; // empty for now
    }
  };
  await expect.poll(readMore).toContain(`missing ${droppedLines}\n`);
  expect(read.split('\n').length - 2).toBe(20_000 - droppedLines);
  closeSync(fd);
  rmSync(folder, { recursive: true });
});
