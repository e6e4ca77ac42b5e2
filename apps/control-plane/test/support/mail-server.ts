import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

export interface ReceivedMail {
  from: string;
  to: string[];
  /** Headers and text as received. */
  text: string;
}

/** A mail server that stores mails. */
export interface MailServer {
  url: string;
  received: ReceivedMail[];
  /** Rejects the next mail with `text` temporarily. */
  refuseOne(text: string): unknown;
  stop(): Promise<void>;
}

export async function startMailServer(): Promise<MailServer> {
  const received: ReceivedMail[] = [];
  const refused: string[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData: (stream, session, callback) => {
      let text = '';
      stream.on('data', (chunk: Buffer) => {
        text += chunk.toString('utf8');
      });
      stream.on('end', () => {
        const index = refused.findIndex((part) => text.includes(part));
        if (index >= 0) {
          refused.splice(index, 1);
          callback(Object.assign(new Error('Try later'), { responseCode: 451 }));
          return;
        }
        const { mailFrom, rcptTo } = session.envelope;
        received.push({
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          text,
        });
        callback();
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`,
    received,
    refuseOne: (text) => refused.push(text),
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
