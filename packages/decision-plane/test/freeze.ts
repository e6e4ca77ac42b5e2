import { readFileSync } from 'node:fs';
import { vi } from 'vitest';

/** Stops a server until it gets SIGCONT; resolves when it has stopped. */
export async function freeze(server: { pid: number; kill: (signal: 'SIGSTOP') => void }): Promise<void> {
  server.kill('SIGSTOP');
  const isStopped = () => readFileSync(`/proc/${server.pid}/stat`, 'utf8').includes(') T ');
  await vi.waitUntil(isStopped, { timeout: 120_000, interval: 1 });
}
