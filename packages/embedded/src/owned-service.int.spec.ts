import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startOwnedService } from './owned-service.js';

let home: string;

beforeEach(() => {
  home = mkdtempSync(path.join(tmpdir(), 'tollgate-owned-'));
});

afterEach(() => {
  rmSync(home, { recursive: true, force: true });
});

function start(program: string, isReady: (log: string) => boolean | Promise<boolean>) {
  const dir = path.join(home, 'data');
  const common = { name: 'program', command: process.execPath, stopSignal: 'SIGTERM' as const };
  return startOwnedService(dir, { ...common, args: ['-e', program], logFile: `${dir}.log`, isReady });
}

test('records the owner before the server is ready', async () => {
  const server = await start('setInterval(() => {}, 1000)', () =>
    existsSync(path.join(home, 'data.owner.json')),
  );
  await server.stop();
  expect(existsSync(path.join(home, 'data.owner.json'))).toBe(false);
});

test('never reports an exited server as ready although another one answers on its port', async () => {
  const program = "process.stderr.write('EADDRINUSE', () => process.exit(1))";
  const started = start(program, async () => {
    const { server } = JSON.parse(readFileSync(path.join(home, 'data.owner.json'), 'utf8'));
    await expect.poll(() => isKnown(server.pid)).toBe(false);
    return true; // the stranger
  });
  await expect(started).rejects.toThrow('program ended at start: EADDRINUSE');
});

/** Whether the system still has the process, be it only to be reaped. */
function isKnown(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
