import { Injectable } from '@nestjs/common';
import type { UsageFrame } from '@tollgate/contracts';
import { USAGE_STREAM } from '@tollgate/decision-plane/internals';
import { ScheduledJob } from '../../../../platform/jobs/scheduled-job.js';
import { Database } from '../../../../platform/prisma/database.js';
import { FrameStore } from './frame-store.js';
import { StreamReader } from './stream-reader.js';

const ADD_MS = 30_000;

/**
 * Counts what nodes decided. A frame is counted once, whatever becomes of nodes and workers: its number is remembered in the
 * transaction that adds its counts to minute, hour and day, and the stream's position moves in it too.
 */
@Injectable()
@ScheduledJob({ name: 'usage-ingest', everyMs: 1000 })
export class UsageIngest {
  constructor(
    private readonly reader: StreamReader,
    private readonly frames: FrameStore,
    private readonly database: Database,
  ) {}

  /** Counts what there is. Returns how many frames were read. */
  run(): Promise<number> {
    return this.reader.drain('usage', USAGE_STREAM, (tx, frames) => this.frames.store(tx, frames));
  }

  /** Counts frames that did not come by the stream. */
  add(frames: readonly UsageFrame[]): Promise<void> {
    return this.database.exclusive((tx) => this.frames.store(tx, frames), { timeout: ADD_MS });
  }
}
