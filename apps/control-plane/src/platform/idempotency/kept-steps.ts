import type { Done } from '../changes/outcome.js';
import type { Step, StepLog } from '../changes/step-log.js';
import type { Tx } from '../prisma/database.js';
import type { IdempotencyRepository } from './idempotency.repository.js';
import type { Seal } from './seal.js';

/** The steps of one key's request. */
export class KeptSteps {
  constructor(
    private readonly repository: IdempotencyRepository,
    private readonly keyId: string,
    private readonly seal: Seal,
  ) {}

  /** Those of one mutation of the document. Its response key tells it from others, and they run one after another. */
  of(responseKey: string): StepLog {
    let made = 0;
    return { next: () => this.step(`${responseKey}#${made++}`) };
  }

  private step(name: string): Step {
    const { repository, keyId, seal } = this;
    return {
      begin: async <T>(tx: Tx) => {
        const kept = await repository.beginStep(tx, keyId, name);
        return kept === undefined ? undefined : seal.open<Done<T>>(name, kept);
      },
      finish: (tx, done) => repository.finishStep(tx, keyId, name, seal.close(name, done)),
    };
  }
}
