import { type Family, labelled } from '../metrics/exposition.js';

/** One question for the metrics of all processes: over when each of them has answered or ended. */
export class MetricsRound {
  readonly families: Family[] = [];
  private readonly open: Set<object>;

  /** @param processes that are asked @param done told once, with everything */
  constructor(
    processes: readonly object[],
    private readonly done: (families: Family[]) => void,
  ) {
    this.open = new Set(processes);
  }

  tell(from: object, slot: number, families: readonly Family[]): void {
    if (!this.open.has(from)) return;
    this.families.push(...labelled(families, 'process', String(slot)));
    this.leave(from);
  }

  leave(from: object): void {
    if (this.open.delete(from) && this.open.size === 0) this.done(this.families);
  }
}
