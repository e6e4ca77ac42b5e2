import { Controller, Get, Header, NotFoundException, Param, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { AppConfig } from '../../../config/app-config.js';
import { RequirePermission } from '../../../platform/access/require-permission.decorator.js';
import { escapeHtml } from '../../../platform/http/console.routes.js';
import { MailSender } from './mail-sender.js';
import { type MailRow, MailsRepository } from './mails.repository.js';

export function mailboxPage(mails: MailRow[]): string {
  const rows = mails.map(
    ({ id, recipient, subject, createdAt }) => `<li><a href="/mailbox/${escapeHtml(id)}">
      <span class="subject">${escapeHtml(subject)}</span>
      <span class="meta">${escapeHtml(recipient)}</span>
      <time class="meta" datetime="${createdAt.toISOString()}">${timeText(createdAt)}</time></a></li>`,
  );
  const list =
    rows.length === 0
      ? '<p class="empty">No mail yet. Invitations, alerts and receipts appear here.</p>'
      : `<ul>${rows.join('\n')}</ul>`;
  return page(
    'Mailbox',
    `<h1>Mailbox</h1><p class="meta">Mail of this installation. Nothing is sent.</p>${list}`,
  );
}

export function mailPage({ recipient, subject, body, createdAt }: MailRow): string {
  return page(
    subject,
    `<p><a href="/mailbox">← Mailbox</a></p><h1>${escapeHtml(subject)}</h1>
    <p class="meta">To ${escapeHtml(recipient)} · ${timeText(createdAt)}</p><pre>${withLinks(body)}</pre>`,
  );
}

export const MAILBOX_STYLE = `
:root { color-scheme: light dark; --text: #1d2025; --dim: #5b6270; --line: #dfe2e8; --ground: #fbfbfc; --link: #1f5fbf; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e8eaee; --dim: #a0a7b4; --line: #30353f; --ground: #15171b; --link: #8ab4f8; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--text); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 760px; margin: 0 auto; padding: 32px 20px; }
h1 { font-size: 22px; line-height: 1.3; margin: 0 0 4px; overflow-wrap: anywhere; }
a { color: var(--link); }
.meta { color: var(--dim); font-size: 13px; margin: 0; overflow-wrap: anywhere; }
.empty { margin-top: 32px; color: var(--dim); }
ul { list-style: none; padding: 0; margin: 24px 0 0; border-top: 1px solid var(--line); }
li { border-bottom: 1px solid var(--line); }
li a { display: grid; grid-template-columns: 1fr auto; gap: 2px 16px; padding: 12px 4px; text-decoration: none; color: inherit; }
li a:hover .subject { text-decoration: underline; }
.subject { grid-column: 1 / -1; font-weight: 600; overflow-wrap: anywhere; }
pre { font: inherit; white-space: pre-wrap; overflow-wrap: anywhere; margin-top: 24px; padding-top: 16px; border-top: 1px solid var(--line); }
`;

function page(title: string, content: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · Tollgate</title><link rel="stylesheet" href="/mailbox/style.css"></head>
<body><main>${content}</main></body></html>
`;
}

function timeText(at: Date): string {
  return `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** Only http(s) URLs become links. */
function withLinks(text: string): string {
  return text
    .split(/(https?:\/\/[^\s<>"']+)/)
    .map((part, index) =>
      index % 2 === 0 ? escapeHtml(part) : `<a href="${escapeHtml(part)}">${escapeHtml(part)}</a>`,
    )
    .join('');
}

const SHOWN = 100;

/**
 * Shows all stored mails, for development. Their links can accept invitations of owners, so it requires the permission
 * to invite owners and a PUBLIC_URL on loopback.
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

  private async readableText(mail: MailRow): Promise<string> {
    const text = await this.sender.textOf(mail).catch(() => undefined);
    return text ?? `${mail.body}\n(The link of this mail is no longer valid.)\n`;
  }

  private requireMailbox(): void {
    if (this.config.mail.transport !== 'mailbox') throw new NotFoundException();
  }
}
