import { Injectable } from '@nestjs/common';
import { jobActor } from '../../../platform/access/actor.js';
import { ChangeRunner } from '../../../platform/changes/change-runner.js';
import { newId } from '../../../platform/ids.js';
import { Log } from '../../../platform/log.js';
import type { ChainBreak } from './audit-verifier.js';

/** Tells operators that the audit trail was tampered with, once for each place. */
@Injectable()
export class AuditAlarm {
  constructor(
    private readonly changes: ChangeRunner,
    private readonly log: Log,
  ) {}

  async raise({ chain, sequence, entryId, problem }: ChainBreak): Promise<void> {
    this.log.error({ chain, sequence, entryId, problem }, 'The audit trail does not hold');
    const caller = { actor: jobActor('audit'), requestId: newId('request') };
    await this.changes.run(caller, { reason: null }, async (change) => {
      await change.notify({
        kind: 'audit.broken',
        data: { chain, sequence, entryId, problem },
        dedupeKey: `audit.broken:${chain}:${sequence}:${problem}`,
      });
      return null;
    });
  }
}
