import { Injectable } from '@nestjs/common';
import { ScheduledJob } from '../../../platform/jobs/jobs-runner.js';
import { AuditAlarm } from './audit-alarm.js';
import { AuditVerifier } from './audit-verifier.js';

/** Verifies the whole audit trail once a day, whether anybody asks or not. */
@ScheduledJob({ name: 'audit-verify', everyMs: 24 * 3_600_000 })
@Injectable()
export class AuditVerifyJob {
  constructor(
    private readonly verifier: AuditVerifier,
    private readonly alarm: AuditAlarm,
  ) {}

  async run(): Promise<void> {
    const { breaks } = await this.verifier.verify(undefined);
    for (const found of breaks) await this.alarm.raise(found);
  }
}
