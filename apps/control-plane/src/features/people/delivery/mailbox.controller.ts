import { Controller, Get, Header, NotFoundException, Param, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { AppConfig } from '../../../config/app-config.js';
import { RequirePermission } from '../../../platform/access/require-permission.decorator.js';
import { MailSender } from './mail-sender.js';
import { MAILBOX_STYLE, mailboxPage, mailPage } from './mailbox-page.js';
import { type MailRow, MailsRepository } from './mails.repository.js';

const SHOWN = 100;

/**
 * Every stored mail, to be read in the browser, for development. A reader of its links can accept invitations, of
 * owners too: it needs the permission to invite owners, and a PUBLIC_URL on loopback.
 */
@Controller('mailbox')
export class MailboxController {
  constructor(
    private readonly mails: MailsRepository,
    private readonly config: AppConfig,
    private readonly sender: MailSender,
  ) {}

  @RequirePermission('operators:write')
  @Get()
  async list(@Res() reply: FastifyReply): Promise<void> {
    this.requireMailbox();
    const page = mailboxPage(await this.mails.listNewest(SHOWN));
    await reply.type('text/html; charset=utf-8').header('Cache-Control', 'no-store').send(page);
  }

  @RequirePermission('operators:write')
  @Get('style.css')
  @Header('Content-Type', 'text/css; charset=utf-8')
  style(): string {
    this.requireMailbox();
    return MAILBOX_STYLE;
  }

  @RequirePermission('operators:write')
  @Get(':id')
  async show(@Param('id') id: string, @Res() reply: FastifyReply): Promise<void> {
    this.requireMailbox();
    const mail = await this.mails.findById(id);
    if (mail === null) throw new NotFoundException();
    await reply
      .type('text/html; charset=utf-8')
      .header('Cache-Control', 'no-store')
      .send(mailPage({ ...mail, body: await this.readableText(mail) }));
  }

  /** A mail whose link is not available any more is still shown. */
  private async readableText(mail: MailRow): Promise<string> {
    const text = await this.sender.textOf(mail).catch(() => undefined);
    return text ?? `${mail.body}\n(The link of this mail is no longer valid.)\n`;
  }

  private requireMailbox(): void {
    if (this.config.mail.transport !== 'mailbox') throw new NotFoundException();
  }
}
