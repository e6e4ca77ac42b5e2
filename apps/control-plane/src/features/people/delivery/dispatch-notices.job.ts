import { Injectable } from '@nestjs/common';
import { EventBus } from '../../../platform/events/event-bus.js';
import { ScheduledJob } from '../../../platform/jobs/scheduled-job.js';
import { Database, type Tx } from '../../../platform/prisma/database.js';
import { NoticesRepository } from '../../notify/index.js';
import { NoticeEvents } from './notice-events.js';
import { NoticeMails } from './notice-mails.js';

const AT_ONCE = 200;

/**
 * Makes mails and outgoing events of notices, in the transaction that marks the notices: a worker that dies in between
 * leaves nothing done, or all of it.
 */
@Injectable()
@ScheduledJob({ name: 'dispatch-notices', everyMs: 500 })
export class DispatchNoticesJob {
  constructor(
    private readonly database: Database,
    private readonly notices: NoticesRepository,
    private readonly mails: NoticeMails,
    private readonly events: NoticeEvents,
    private readonly bus: EventBus,
  ) {}

  async run(): Promise<void> {
    while ((await this.dispatchOnce()) === AT_ONCE);
  }

  /** @returns how many */
  private async dispatchOnce(): Promise<number> {
    const ids = await this.database.transaction((tx) => this.dispatchSome(tx));
    for (const id of ids) await this.bus.tell({ topic: 'notice', id });
    return ids.length;
  }

  private async dispatchSome(tx: Tx): Promise<string[]> {
    const notices = await this.notices.lockUndispatched(tx, AT_ONCE);
    if (notices.length === 0) return [];
    const tenantIds = [...new Set(notices.flatMap(({ tenantId }) => tenantId ?? []))];
    await this.mails.make(tx, notices, tenantIds);
    await this.events.make(tx, notices, tenantIds);
    const ids = notices.map(({ id }) => id);
    await this.notices.markDispatched(tx, ids);
    return ids;
  }
}
