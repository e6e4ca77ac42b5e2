import type { NodeJournalEntry } from '@tollgate/contracts';
import type { DecisionSampler } from './decision-log.js';
import { Flusher } from './flusher.js';
import type { QuotaCheckpoints } from './quota-checkpoints.js';

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
export class NodeJournal extends Flusher {
  constructor(private readonly options: NodeJournalOptions) {
    super();
  }

  protected async write(): Promise<void> {
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
