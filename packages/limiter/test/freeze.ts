import { readFileSync } from 'node:fs';
import { eventually } from '@tollgate/test-kit';

/** Stops a server until it gets SIGCONT; resolves when it has stopped. */
export async function freeze(server: { pid: number; kill: (signal: 'SIGSTOP') => void }): Promise<void> {
  server.kill('SIGSTOP');
  await eventually(() => readFileSync(`/proc/${server.pid}/stat`, 'utf8').includes(') T '));
}
