import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** Stops a server until it gets SIGCONT; resolves when it has stopped. */
export async function freeze(server: { pid: number; kill: (signal: 'SIGSTOP') => void }): Promise<void> {
  server.kill('SIGSTOP');
  while (!readFileSync(`/proc/${server.pid}/stat`, 'utf8').includes(') T ')) await delay(1);
}
