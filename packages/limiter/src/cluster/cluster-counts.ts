/** How decisions reach a master. `across`: keys of several slots in one script run. `declared`: one slot per run. */
export type SlotMode = 'across' | 'declared';

export const SLOT_MODES: readonly SlotMode[] = ['across', 'declared'];

/**
 * Why a request was sent again in a run of its slot. `elsewhere`: the master does not serve one of its keys. `redirected`: the
 * master rejected the key that routes the run. `refused`: the server does not permit runs over several slots.
 */
export type Fallback = 'elsewhere' | 'redirected' | 'refused';

/** Script runs of decisions and the requests in them, since the start. */
export interface RunCounts {
  runs: number;
  requests: number;
}

/** Decisions of a node over a cluster. Plain numbers: a metrics library would hash labels each time. */
export class ClusterCounts {
  readonly runs: Readonly<Record<SlotMode, RunCounts>> = {
    across: { runs: 0, requests: 0 },
    declared: { runs: 0, requests: 0 },
  };
  /** Requests sent again. */
  readonly fallbacks: Record<Fallback, number> = { elsewhere: 0, redirected: 0, refused: 0 };
  /** Connections to masters in use now. */
  readonly connections: Record<SlotMode, number> = { across: 0, declared: 0 };

  add(mode: SlotMode, requests: number): void {
    const counts = this.runs[mode];
    counts.runs++;
    counts.requests += requests;
  }
}
