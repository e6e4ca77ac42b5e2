import { Injectable } from '@nestjs/common';
import { type Brand, TOLLGATE_BRAND } from '@tollgate/contracts/brand';
import { createTransport } from 'nodemailer';
import { AppConfig } from '../../../config/app-config.js';
import { Clock } from '../../../platform/clock.js';
import { Installation, type InstallationRow } from '../../../platform/installation/installation.js';
import { ScheduledJob } from '../../../platform/jobs/jobs-runner.js';
import { Log } from '../../../platform/log.js';
import { AuthService } from '../../identity/index.js';
import { InvitationLinks } from '../members/invitation-issuer.js';
import { type MailRow, MailsRepository } from './mails.repository.js';

const TIMEOUT_MS = 10_000;

/** Password reset mails older than this are not sent. */
const RESET_WITHIN_MS = 3_600_000;

/** Sends mail by SMTP. With the `mailbox` transport nothing is sent; the mailbox page shows the stored mails. */
@Injectable()
export class MailSender {
  private readonly transport;

  constructor(
    private readonly config: AppConfig,
    private readonly links: InvitationLinks,
    private readonly auth: AuthService,
    private readonly clock: Clock,
    private readonly installation: Installation,
  ) {
    const { mail } = config;
    this.transport =
      mail.transport === 'smtp'
        ? createTransport({ url: mail.url, connectionTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS })
        : undefined;
  }

  /**
   * Appends the link of an invitation or a password reset. Undefined if the link is no longer valid. @throws Error if
   * the invitation is for another address
   */
  async textOf(mail: MailRow): Promise<string | undefined> {
    const { recipient, body, invitationId, resetUserId } = mail;
    const signature = signatureOf(this.installation.current);
    if (invitationId === null && resetUserId === null) return `${body}${signature}`;
    const link =
      invitationId === null ? await this.makeResetLink(mail) : await this.links.find(invitationId, recipient);
    return link === undefined ? undefined : `${body}\n${link}\n${signature}`;
  }

  private async makeResetLink({ recipient, resetUserId, createdAt }: MailRow): Promise<string | undefined> {
    if (this.clock.now().getTime() - createdAt.getTime() > RESET_WITHIN_MS) return undefined;
    const account = await this.auth.findAccount(recipient);
    return account?.id === resetUserId ? this.auth.issuePasswordResetUrl(recipient) : undefined;
  }

  /** Returns false if the link is no longer valid. @throws Error if the server rejects the mail */
  async send(row: MailRow): Promise<boolean> {
    const { mail } = this.config;
    if (this.transport === undefined || mail.transport !== 'smtp') return true;
    const text = await this.textOf(row);
    if (text === undefined) return false;
    const { id, recipient, subject } = row;
    const host = new URL(this.config.publicOrigin).hostname;
    // The same for every attempt, so that receivers recognize duplicates.
    const messageId = `<${id}@${host}>`;
    await this.transport.sendMail({
      from: branded(mail.from, this.installation.brand),
      // An object, because commas and angle brackets in a string would be parsed as more addresses.
      to: { name: '', address: recipient },
      subject,
      text,
      messageId,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    return true;
  }
}

/** Company and contact at the end of a mail; empty if they are not configured. */
function signatureOf({ companyName, address, contact }: InstallationRow): string {
  const lines = [companyName, ...address.split('\n'), contact].filter((line) => line !== '');
  return lines.length === 0 ? '' : `\n-- \n${lines.join('\n')}\n`;
}

/** The configured sender with the product's name; unchanged for the default brand. */
function branded(from: string, { productName }: Brand): string | { name: string; address: string } {
  const address = /<([^<>]+)>\s*$/.exec(from)?.[1] ?? from;
  return productName === TOLLGATE_BRAND.productName ? from : { name: productName, address };
}

const BATCH = 20;

/** A claimed mail becomes due again after this time. */
const CLAIM_MS = 60_000;

const MINUTE_MS = 60_000;

/** Delays after failures; after the last the mail is marked as failed. */
const DELAYS_MS = [1, 5, 30, 120, 720].map((minutes) => minutes * MINUTE_MS);

@Injectable()
@ScheduledJob({ name: 'send-mail', everyMs: 1000 })
export class SendMailJob {
  constructor(
    private readonly mails: MailsRepository,
    private readonly sender: MailSender,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  async run(): Promise<void> {
    for (;;) {
      const now = this.clock.now();
      const claimed = await this.mails.claim(now, new Date(now.getTime() + CLAIM_MS), BATCH);
      await Promise.all(claimed.map((mail) => this.send(mail)));
      if (claimed.length < BATCH) return;
    }
  }

  private async send(mail: MailRow): Promise<void> {
    try {
      if (await this.sender.send(mail)) await this.mails.markSent(mail.id, this.clock.now());
      else await this.mails.markFailed(mail.id, 'the link is no longer valid', null);
    } catch (error) {
      const delayMs = DELAYS_MS[mail.attempts - 1];
      const next = delayMs === undefined ? null : new Date(this.clock.now().getTime() + delayMs);
      const reason = error instanceof Error ? error.message : String(error);
      await this.mails.markFailed(mail.id, reason.slice(0, 300), next);
      this.log.warn({ mail: mail.id, attempts: mail.attempts, reason }, 'mail not sent');
    }
  }
}
