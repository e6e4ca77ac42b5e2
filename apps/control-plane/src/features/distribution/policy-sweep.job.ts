import { Injectable } from '@nestjs/common';
import { PolicySweeper } from '@tollgate/decision-plane/internals';
import { jobActor } from '../../platform/access/actor.js';
import { ChangeRunner } from '../../platform/changes/change-runner.js';
import { newId } from '../../platform/ids/new-id.js';
import { ScheduledJob } from '../../platform/jobs/scheduled-job.js';
import { Log } from '../../platform/logging/log.js';
import { OutboxRepository } from './outbox.repository.js';
import { RevisionsRepository } from './revisions.repository.js';

const JOB = 'policy-sweep';

/** Steps of one run, of 100 records: 100,000 tenants are gone through in some minutes, and Redis hardly notices. */
const MAX_STEPS = 10;

/**
 * Goes through the records in Redis, some at a time: removes those of tenants that are not in Postgres, and has those
 * published anew that do not carry the relay's seal, and a catalogue that does not match its head.
 */
@Injectable()
@ScheduledJob({ name: JOB, everyMs: 5000 })
export class PolicySweepJob {
  private cursor = '0';

  constructor(
    private readonly outbox: OutboxRepository,
    private readonly revisions: RevisionsRepository,
    private readonly sweeper: PolicySweeper,
    private readonly changes: ChangeRunner,
    private readonly log: Log,
  ) {}

  async run(): Promise<void> {
    await this.healCatalogue();
    for (let step = 0; step < MAX_STEPS; step++) {
      const { cursor, records } = await this.sweeper.scanTenants(this.cursor);
      this.cursor = cursor;
      const known = new Set(await this.outbox.listExisting(records.map(({ tenant }) => tenant)));
      const strangers = records.flatMap(({ tenant }) => (known.has(tenant) ? [] : [tenant]));
      if (strangers.length > 0) await this.removeStrangers(strangers);
      const altered = records.flatMap(({ tenant, isOurs }) => (isOurs || !known.has(tenant) ? [] : [tenant]));
      if (altered.length > 0) await this.publishAnew('TENANT', altered);
      if (cursor === '0') return;
    }
  }

  private async healCatalogue(): Promise<void> {
    if (await this.sweeper.isCatalogueWhole()) return;
    const healed = await this.outbox.exclusively(async (tx) => {
      // A publication that ran meanwhile has written a whole one.
      if (await this.sweeper.isCatalogueWhole()) return false;
      const newest = await this.revisions.newest();
      const text = newest && (await this.revisions.findCatalogueText(newest.catalogueRevision, tx));
      if (text == null) return false;
      await this.sweeper.restoreCatalogue(text);
      return true;
    });
    // Nodes that have refused this revision look again when there is another.
    if (healed) await this.publishAnew('CATALOGUE', ['catalogue']);
  }

  /** Under the relay's lock: a tenant that is created at this moment is not taken for one that is no more. */
  private async removeStrangers(tenants: readonly string[]): Promise<void> {
    await this.outbox.exclusively(async (tx) => {
      const known = new Set(await this.outbox.listExisting(tenants, tx));
      const strangers = tenants.filter((tenant) => !known.has(tenant));
      if (strangers.length === 0) return;
      await this.sweeper.removeTenants(strangers);
      this.log.warn({ tenants: strangers.length }, 'records of unknown tenants removed');
    });
  }

  private async publishAnew(kind: 'CATALOGUE' | 'TENANT', entityKeys: readonly string[]): Promise<void> {
    this.log.error({ kind, records: entityKeys.length }, 'what the relay did not write is published anew');
    const caller = { actor: jobActor(JOB), requestId: newId('request') };
    await this.changes.run(caller, { reason: 'found altered in Redis' }, async (change) => {
      for (const entityKey of entityKeys) await change.publish(kind, entityKey);
      return true;
    });
  }
}
