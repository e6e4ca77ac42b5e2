import { Injectable } from '@nestjs/common';
import type { SignedHead } from '@tollgate/contracts/audit-head';
import { jobActor } from '../../../platform/access/actor.js';
import { ChangeRunner } from '../../../platform/changes/change.js';
import { Clock } from '../../../platform/clock.js';
import { newId } from '../../../platform/ids.js';
import { ScheduledJob } from '../../../platform/jobs/jobs-runner.js';
import { Log } from '../../../platform/log.js';
import { Metrics } from '../../../platform/metrics/metrics.js';
import { AuditRepository } from './audit.repository.js';
import { AuditHeadsStore } from './audit-heads.store.js';
import { AuditVerifier, type ChainBreak } from './audit-verifier.js';

/** Alerts operators that the audit trail was tampered with, once per break. */
@Injectable()
export class AuditAlarm {
  constructor(
    private readonly changes: ChangeRunner,
    private readonly metrics: Metrics,
    private readonly log: Log,
  ) {}

  /** @param complete whether the breaks of the whole trail are known */
  async report(breaks: readonly ChainBreak[], complete: boolean): Promise<void> {
    this.metrics.auditVerified(breaks.length === 0, complete);
    for (const found of breaks) await this.raise(found);
  }

  private async raise({ chain, sequence, entryId, problem }: ChainBreak): Promise<void> {
    this.log.error({ chain, sequence, entryId, problem }, 'audit trail verification failed');
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

/** Overlap with the previous run, for transactions that committed late. */
const OVERLAP_MS = 10 * 60_000;
const CHAINS_AT_ONCE = 200;

/**
 * Signs the heads of audit chains and stores them outside the database. A head advances only over entries that link to it, so
 * a truncated or rewritten chain keeps its old head and is detected.
 */
@ScheduledJob({ name: 'audit-heads', everyMs: 60_000 })
@Injectable()
export class AuditHeadsJob {
  constructor(
    private readonly audit: AuditRepository,
    private readonly heads: AuditHeadsStore,
    private readonly verifier: AuditVerifier,
    private readonly alarm: AuditAlarm,
    private readonly clock: Clock,
  ) {}

  async run(): Promise<void> {
    const startedAt = this.clock.now();
    const writtenAt = await this.heads.findWrittenAt();
    const since = writtenAt === undefined ? new Date(0) : new Date(writtenAt.getTime() - OVERLAP_MS);
    const chains = await this.audit.listChainsSince(since);
    const breaks: ChainBreak[] = [];
    for (let from = 0; from < chains.length; from += CHAINS_AT_ONCE) {
      breaks.push(...(await this.sign(chains.slice(from, from + CHAINS_AT_ONCE), startedAt)));
    }
    await this.alarm.report(breaks, false);
    await this.heads.setWrittenAt(startedAt);
  }

  private async sign(chains: string[], at: Date): Promise<ChainBreak[]> {
    const known = await this.heads.find(chains);
    const signed: SignedHead[] = [];
    const breaks: ChainBreak[] = [];
    for (const chain of chains) {
      const found = known.get(chain);
      const end = await this.verifier.follow(chain, found);
      if ('problem' in end) {
        breaks.push(end);
        continue;
      }
      if (end.sequence === found?.head.sequence) continue;
      const { sequence, hash } = end;
      signed.push(this.heads.signer.sign({ chain, sequence, hash, at: at.toISOString() }));
    }
    await this.heads.put(signed);
    return breaks;
  }
}

/** Verifies the whole audit trail daily. */
@ScheduledJob({ name: 'audit-verify', everyMs: 24 * 3_600_000 })
@Injectable()
export class AuditVerifyJob {
  constructor(
    private readonly verifier: AuditVerifier,
    private readonly alarm: AuditAlarm,
  ) {}

  async run(): Promise<void> {
    const { breaks } = await this.verifier.verify(undefined);
    await this.alarm.report(breaks, true);
  }
}
