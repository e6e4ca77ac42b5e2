import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { percentile, until } from '../../until.ts';
import { failing, type Goal } from '../goal.ts';
import { startDeciding } from './deciding-node.ts';
import { create, read } from './postgres-outage.ts';
import { type RunningPlane, startPlane } from './running-plane.ts';

const DISK = '300m';
const ROUNDS = 10;
const WRITES = 60;
const BLOCK = Buffer.alloc(65_536);
const REFUSED_WITHIN_MS = 6000;

/** Fills the disk of Postgres and frees it again. Mounts a small file system, which requires root. */
export const diskFull: Goal = {
  id: 'C14-DISK',
  title: "Postgres' disk is full",
  passLine: 'decisions go on, writes are refused cleanly, all is back with room',
  async run({ scale }, report) {
    const disk = mkdtempSync(path.join(tmpdir(), 'tollgate-disk-'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK},mode=755`, 'tmpfs', disk]);
    let plane: RunningPlane | undefined;
    try {
      plane = await startPlane(1, {}, { dataDir: path.join(disk, 'postgres') });
      const stopDeciding = await startDeciding(plane.redisUrl);
      const seen = { refusedMs: [] as number[], done: 0, halfDone: 0, lost: 0, reads: 0, died: 0 };
      const unclean = new Set<string>();
      for (let round = 0; round < Math.ceil(ROUNDS * scale); round++) {
        await simulateFullDisk(plane, path.join(disk, 'filler'), `full-${round}`, { seen, unclean });
      }
      const decisions = await stopDeciding();
      const { refusedMs, ...counts } = seen;
      const numbers = {
        rounds: Math.ceil(ROUNDS * scale),
        'writes refused': refusedMs.length,
        'refused at most ms': percentile(refusedMs, 1),
        'refused otherwise than cleanly': [...unclean].join(', ') || 'none',
        'done meanwhile': counts.done,
        'failed but took effect': counts.halfDone,
        'done and lost': counts.lost,
        'reads that were answered meanwhile': counts.reads,
        'Postgres ended itself': counts.died,
        decisions: decisions.made,
        'decisions that failed': decisions.failed,
      };
      report({
        name: 'full disk',
        numbers,
        failures: failing({
          'nothing was refused: the disk was not full': refusedMs.length > 0,
          'something was refused without saying why': unclean.size === 0,
          'something that was refused was done': counts.halfDone === 0,
          'something that was done is gone': counts.lost === 0,
          'a refusal took too long': percentile(refusedMs, 1) <= REFUSED_WITHIN_MS,
          'decisions felt it': decisions.failed + decisions.degraded === 0,
        }),
      });
    } finally {
      await plane?.stop();
      execFileSync('umount', [disk]);
      rmSync(disk, { recursive: true, force: true });
    }
  },
};

interface Seen {
  seen: {
    refusedMs: number[];
    done: number;
    halfDone: number;
    lost: number;
    reads: number;
    died: number;
  };
  unclean: Set<string>;
}

async function simulateFullDisk(
  plane: RunningPlane,
  filler: string,
  name: string,
  { seen, unclean }: Seen,
): Promise<void> {
  const refused: string[] = [];
  const done: string[] = [];
  fill(filler);
  for (let i = 0; i < WRITES; i++) {
    const key = `${name}-${i}`;
    const { tookMs, code, status } = await create(plane, key);
    if (code === undefined) done.push(key);
    else {
      refused.push(key);
      seen.refusedMs.push(tookMs);
      // If the caller was authenticated before the disk was full, only part of the response fails.
      if (code !== 'UNAVAILABLE') unclean.add(`${status} ${code}`);
    }
    if ((await read(plane)).code === undefined) seen.reads += 1;
    // Also uses the space that Postgres had reserved.
    fill(filler);
  }
  rmSync(filler);
  if (plane.postgres.hasEnded()) {
    seen.died += 1;
    await plane.postgres.restart();
  }
  await until(
    'there is room again',
    async () => (await create(plane, `${name}-room`)).code !== 'UNAVAILABLE',
  );
  seen.done += done.length;
  for (const key of refused) if ((await create(plane, key)).code !== undefined) seen.halfDone += 1;
  for (const key of done) if ((await create(plane, key)).code === undefined) seen.lost += 1;
}

/** Writes until nothing more fits. */
function fill(file: string): void {
  const descriptor = openSync(file, 'a');
  try {
    for (;;) writeSync(descriptor, BLOCK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  } finally {
    closeSync(descriptor);
  }
}
