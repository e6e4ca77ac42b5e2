import { spawnSync } from 'node:child_process';
import { openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SOURCE = fileURLToPath(new URL('./clock-shim.c', import.meta.url));

/** Whether this machine can compile the shim that steps the store's clock. */
export const canStepStoreClock: boolean = spawnSync('gcc', ['--version']).status === 0;

/** The clock of every redis-server that is started while `inForce` runs. */
export class StoreClock {
  private readonly library: string;
  private readonly offsetPath: string;
  private readonly offset: number;

  /** @param dir an existing folder, for the compiled shim and the offset. @throws Error when it cannot be compiled */
  constructor(dir: string) {
    this.library = join(dir, 'clock-shim.so');
    this.offsetPath = join(dir, 'clock-offset');
    const { status, stderr } = spawnSync('gcc', [
      '-shared',
      '-fPIC',
      '-O2',
      '-o',
      this.library,
      SOURCE,
      '-ldl',
    ]);
    if (status !== 0) throw new Error(`the clock shim cannot be compiled: ${stderr}`);
    this.offset = openSync(this.offsetPath, 'w+');
    this.setAhead(0);
  }

  /** How far the clock is ahead of the machine's from now on, ms. */
  setAhead(aheadMs: number): void {
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64LE(BigInt(aheadMs) * 1000n);
    writeSync(this.offset, bytes, 0, bytes.length, 0);
  }

  /** Starts servers with this clock. */
  async inForce<T>(start: () => Promise<T>): Promise<T> {
    // The starter hands its own environment on.
    process.env.LD_PRELOAD = this.library;
    process.env.YARD_CLOCK_FILE = this.offsetPath;
    try {
      return await start();
    } finally {
      delete process.env.LD_PRELOAD;
      delete process.env.YARD_CLOCK_FILE;
    }
  }
}
