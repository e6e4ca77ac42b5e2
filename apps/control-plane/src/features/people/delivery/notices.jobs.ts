import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../../config/app-config.js';
import { Clock } from '../../../platform/clock.js';
import { EventBus } from '../../../platform/events.js';
import { newId } from '../../../platform/ids.js';
import { ScheduledJob } from '../../../platform/jobs/jobs-runner.js';
import { Database, type Tx } from '../../../platform/prisma/database.js';
import {
  eventOf,
  mailsOf,
  type NoticeRow,
  NoticesRepository,
  WebhookDeliveriesRepository,
  type WebhookEndpointRow,
  WebhookEndpointsRepository,
} from '../../notify/index.js';
import { accountMailsOf } from '../account/account-mails.js';
import { invitationMailsOf } from '../members/invitation-issuer.js';
import { MailsRepository } from './mails.repository.js';

@Injectable()
export class NoticeMails {
  constructor(
    private readonly notices: NoticesRepository,
    private readonly mails: MailsRepository,
    private readonly config: AppConfig,
  ) {}

  async create(tx: Tx, notices: NoticeRow[], tenantIds: string[]): Promise<void> {
    if (this.config.mail.transport === 'none') return;
    const members = await this.notices.listMembers(tx, tenantIds);
    const recipients = [...members, ...(await this.notices.listOperators(tx))];
    const zones = await this.notices.listZones(tenantIds, tx);
    const consoleUrl = this.config.publicOrigin;
    const mails = notices.flatMap((notice) => [
      ...mailsOf(notice, recipients, { timeZone: zones.get(notice.tenantId ?? '') ?? 'UTC', consoleUrl }),
      ...invitationMailsOf(notice),
      ...accountMailsOf(notice, consoleUrl),
    ]);
    await this.mails.createMany(tx, mails);
  }
}

@Injectable()
export class NoticeEvents {
  constructor(
    private readonly endpoints: WebhookEndpointsRepository,
    private readonly deliveries: WebhookDeliveriesRepository,
  ) {}

  async create(tx: Tx, notices: NoticeRow[], tenantIds: string[]): Promise<void> {
    const endpoints = await this.endpoints.listEnabled(tx, tenantIds);
    if (endpoints.length === 0) return;
    const rows = notices.flatMap((notice) => {
      const event = eventOf(notice);
      if (event === undefined) return [];
      return endpoints
        .filter((endpoint) => isSubscribed(endpoint, event))
        .map(({ id: endpointId, tenantId }) => ({
          ...event,
          id: newId('webhookDelivery'),
          endpointId,
          tenantId,
        }));
    });
    await this.deliveries.createMany(tx, rows);
  }
}

/** The operator's endpoints receive the events of all tenants. */
function isSubscribed(
  endpoint: WebhookEndpointRow,
  { event, tenantId }: { event: string; tenantId: string | null },
): boolean {
  const isOwn = endpoint.tenantId === null || endpoint.tenantId === tenantId;
  return isOwn && (endpoint.events.length === 0 || endpoint.events.includes(event));
}

const BATCH = 200;

/** Creates mails and deliveries in the transaction that marks the notices as dispatched, so that each is created once. */
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
    while ((await this.dispatchOnce()) === BATCH);
  }

  /** Returns the number of notices. */
  private async dispatchOnce(): Promise<number> {
    const ids = await this.database.transaction((tx) => this.dispatchSome(tx));
    for (const id of ids) await this.bus.publish({ topic: 'notice', id });
    return ids.length;
  }

  private async dispatchSome(tx: Tx): Promise<string[]> {
    const notices = await this.notices.lockUndispatched(tx, BATCH);
    if (notices.length === 0) return [];
    const tenantIds = [...new Set(notices.flatMap(({ tenantId }) => tenantId ?? []))];
    await this.mails.create(tx, notices, tenantIds);
    await this.events.create(tx, notices, tenantIds);
    const ids = notices.map(({ id }) => id);
    await this.notices.markDispatched(tx, ids);
    return ids;
  }
}

const DAY_MS = 86_400_000;

const NOTICES_MS = 90 * DAY_MS;

const DELIVERIES_MS = 30 * DAY_MS;

const CHUNK = 1000;

/** Separate from the delivery jobs because it scans all rows. */
@Injectable()
@ScheduledJob({ name: 'notice-retention', everyMs: 600_000 })
export class NoticeRetentionJob {
  constructor(
    private readonly notices: NoticesRepository,
    private readonly mails: MailsRepository,
    private readonly deliveries: WebhookDeliveriesRepository,
    private readonly clock: Clock,
  ) {}

  async run(): Promise<void> {
    const nowMs = this.clock.now().getTime();
    const noticesBefore = new Date(nowMs - NOTICES_MS);
    const ended = new Date(nowMs - DELIVERIES_MS);
    while ((await this.notices.deleteBefore(noticesBefore, CHUNK)) === CHUNK);
    while ((await this.mails.deleteBefore(noticesBefore, CHUNK)) === CHUNK);
    while ((await this.deliveries.deleteBefore(ended, CHUNK)) === CHUNK);
  }
}
