import type { Server } from 'node:http';

export interface DrainOptions {
  /** While this is pending, readiness fails but requests are still served: whoever sends them needs time to notice. */
  notice: Promise<unknown>;
  /** After that, connections that still have something to finish get so long, ms. */
  finishMs: number;
}

/** The end of a door: first it says so, then it takes no more connections, then it waits for what is in work. */
export class Drain {
  private begun = false;

  /** Whether requests should go elsewhere from now on. */
  get isDraining(): boolean {
    return this.begun;
  }

  /** @returns once every request that was taken in is answered, or its time is over */
  async run(server: Server, { notice, finishMs }: DrainOptions): Promise<void> {
    this.begun = true;
    await notice;
    const force = setTimeout(() => server.closeAllConnections(), finishMs);
    await new Promise((resolve) => {
      server.close(resolve);
      server.closeIdleConnections();
    });
    clearTimeout(force);
  }
}
