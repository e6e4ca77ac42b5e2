import type { NodeJournalEntry } from '@tollgate/contracts';
import type { DecisionSampler } from './decision-log.js';
import type { QuotaCheckpoints } from './quota-checkpoints.js';

const FLUSH_EVERY_MS = 1000;

/** About 300 kB; further checkpoints wait for the next entry. */
const MAX_CHECKPOINTS = 2000;

export interface NodeJournalOptions {
  nodeId: string;
  sampler: Pick<DecisionSampler, 'take'>;
  checkpoints: Pick<QuotaCheckpoints, 'takeUnjournaled' | 'returnUnjournaled'>;
  write: (entry: NodeJournalEntry) => Promise<void>;
  onError: (message: string, error: unknown) => void;
}

/** Writes samples and quota checkpoints once a second. After a failure, checkpoints are written again; samples are lost. */
export class NodeJournal {
  private timer: NodeJS.Timeout | undefined;
  private flushing: Promise<void> = Promise.resolve();

  constructor(private readonly options: NodeJournalOptions) {}

  start(): void {
    this.timer = setInterval(() => void this.flush(), FLUSH_EVERY_MS).unref();
  }

  /** Never rejects. */
  flush(): Promise<void> {
    this.flushing = this.flushing.then(() => this.write());
    return this.flushing;
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.flush();
  }

  private async write(): Promise<void> {
    const { nodeId, sampler, checkpoints, write, onError } = this.options;
    const samples = sampler.take();
    const changed = checkpoints.takeUnjournaled(MAX_CHECKPOINTS);
    if (samples.length + changed.length === 0) return;
    try {
      await write({ nodeId, atMs: Date.now(), samples, checkpoints: changed });
    } catch (error) {
      checkpoints.returnUnjournaled(changed);
      onError('cannot write the journal', error);
    }
  }
}
