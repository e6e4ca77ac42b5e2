import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../../config/app-config.js';
import type { Tx } from '../../../platform/prisma/database.js';
import { mailsOf, type NoticeRow, NoticesRepository } from '../../notify/index.js';
import { accountMailsOf } from '../account/account-mail.js';
import { invitationMailsOf } from '../members/invitation-mail.js';
import { MailsRepository } from './mails.repository.js';

/** Makes mails of notices, where mail is sent at all. */
@Injectable()
export class NoticeMails {
  constructor(
    private readonly notices: NoticesRepository,
    private readonly mails: MailsRepository,
    private readonly config: AppConfig,
  ) {}

  /** @param tenantIds the tenants that the notices are about */
  async make(tx: Tx, notices: NoticeRow[], tenantIds: string[]): Promise<void> {
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
