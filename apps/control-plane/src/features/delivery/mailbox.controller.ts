import { Controller, Get, Header, NotFoundException, Param, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { AppConfig } from '../../config/app-config.js';
import { RequirePermission } from '../../platform/access/require-permission.decorator.js';
import { InvitationLinks } from '../members/index.js';
import { MAILBOX_STYLE, mailboxPage, mailPage } from './mailbox-page.js';
import { MailsRepository } from './mails.repository.js';

const SHOWN = 100;

/** Every mail that was made, to be read in the browser. Only where mail goes nowhere else: its links let people in. */
@Controller('mailbox')
export class MailboxController {
  constructor(
    private readonly mails: MailsRepository,
    private readonly config: AppConfig,
    private readonly links: InvitationLinks,
  ) {}

  @RequirePermission('operators:read')
  @Get()
  async list(@Res() reply: FastifyReply): Promise<void> {
    this.requireMailbox();
    const page = mailboxPage(await this.mails.listNewest(SHOWN));
    await reply.type('text/html; charset=utf-8').header('Cache-Control', 'no-store').send(page);
  }

  @RequirePermission('operators:read')
  @Get('style.css')
  @Header('Content-Type', 'text/css; charset=utf-8')
  style(): string {
    this.requireMailbox();
    return MAILBOX_STYLE;
  }

  @RequirePermission('operators:read')
  @Get(':id')
  async show(@Param('id') id: string, @Res() reply: FastifyReply): Promise<void> {
    this.requireMailbox();
    const mail = await this.mails.findById(id);
    if (mail === null) throw new NotFoundException();
    await reply
      .type('text/html; charset=utf-8')
      .header('Cache-Control', 'no-store')
      .send(mailPage({ ...mail, body: this.links.fill(mail.body) }));
  }

  private requireMailbox(): void {
    if (this.config.mail.transport !== 'mailbox') throw new NotFoundException();
  }
}
