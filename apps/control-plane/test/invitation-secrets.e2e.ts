import { eventually } from '@tollgate/test-kit';
import { buildSchema } from 'graphql/index.js';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SYSTEM_ACTOR } from '../src/platform/access/actor.js';
import { ChangeRunner } from '../src/platform/changes/change.js';
import { newId } from '../src/platform/ids.js';
import { buildSchemaText } from '../src/schema-text.js';
import { documentFor, operationsOf } from './matrix/documents.js';
import { type EventReceiver, startEventReceiver } from './support/event-receiver.js';
import { type MailServer, startMailServer } from './support/mail-server.js';
import { CREATE_ENDPOINT } from './support/notices-app.js';
import { createPolicy } from './support/policy-factory.js';
import { PASSWORD, startTestApp, type TestApp } from './support/test-app.js';

const TOKEN = /\/invitation#([0-9A-Za-z]{32})/g;

/** Sealed text starts with the id of its encryption secret. */
const SEALED = /\bkey1:[A-Za-z0-9_:-]{20,}/;

let app: TestApp;
let mail: MailServer;
let receiver: EventReceiver;
const logLines: string[] = [];

beforeAll(async () => {
  [mail, receiver] = await Promise.all([startMailServer(), startEventReceiver()]);
  const logger = pino({ level: 'trace' }, { write: (line: string) => logLines.push(line) });
  app = await startTestApp(
    {
      ENCRYPTION_SECRETS: `key1:${'an encryption secret for tests only'.padEnd(40, '!')}`,
      MAIL_TRANSPORT: 'smtp',
      SMTP_URL: mail.url,
      SIGN_UP_TIER: 'basic',
      WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
    },
    logger,
  );
  await createPolicy(app);
});

afterAll(async () => {
  await app.stop();
  await Promise.all([mail.stop(), receiver.stop()]);
});

/** Runs a mutation as an owner; throws on errors. */
async function mutate(call: string, fields = '__typename') {
  const document = `mutation { result: ${call} { ${fields} userErrors { message } } }`;
  const { data, errors } = await app.graphql(document);
  if (errors.length > 0 || data.result.userErrors.length > 0)
    throw new Error(JSON.stringify({ data, errors }));
  return data.result;
}

const invite = (email: string) =>
  mutate(`memberInvite(input: { tenantKey: "acme", email: "${email}", role: OWNER })`, 'invitation { id }');

/** Received mails to an address, without quoted-printable line breaks. */
const mailsTo = (email: string) =>
  mail.received
    .filter(({ to }) => to.includes(email))
    .map(({ text }) => text.replace(/=\r\n/g, '').replaceAll('=3D', '='));

async function tokenMailedTo(email: string): Promise<string> {
  await expect.poll(() => mailsTo(email)).toHaveLength(1);
  const [found] = [...(mailsTo(email)[0] ?? '').matchAll(TOKEN)];
  expect(found, mailsTo(email)[0]).toBeDefined();
  return found?.[1] ?? '';
}

function notify(text: string) {
  const caller = { actor: SYSTEM_ACTOR, requestId: newId('request') };
  return app.app
    .get(ChangeRunner, { strict: false })
    .run(caller, { reason: null }, (change) => change.notify({ kind: 'node.stale', data: { nodeId: text } }));
}

/** Stores a mail directly in the database. */
async function storeMail(recipient: string, invitationId: string): Promise<string> {
  const id = newId('mail');
  const row = { id, recipient, subject: 'Invitation', body: 'Accept.', invitationId };
  await app.database.mail.create({ data: row });
  return id;
}

describe('the link of an invitation', () => {
  it('occurs in no response, event, export, stored mail or log line, sealed or not', async () => {
    for (const tenantKey of ['acme', undefined])
      await app.graphql(CREATE_ENDPOINT, { input: { tenantKey, url: receiver.url } });
    const { invitation } = await invite('one@acme.example');
    await mutate('operatorInvite(input: { email: "op@tollgate.example", role: SUPPORT })');
    await mutate('tenantSignUp(input: { key: "newco", name: "New Co", email: "first@newco.example" })');
    const tokens = [
      await tokenMailedTo('one@acme.example'),
      await tokenMailedTo('op@tollgate.example'),
      await tokenMailedTo('first@newco.example'),
    ];
    await mutate(`invitationResend(input: { tenantKey: "acme", id: "${invitation.id}" })`);
    await expect.poll(() => mailsTo('one@acme.example')).toHaveLength(2);
    const accepted = { token: tokens[2], name: 'First', password: PASSWORD };
    const accept = `mutation($input: InvitationAcceptInput!) { invitationAccept(input: $input) { tenantKey } }`;
    expect((await app.graphql(accept, { input: accepted }, {})).data.invitationAccept.tenantKey).toBe(
      'newco',
    );

    const readable: Record<string, string> = { log: logLines.join('\n') };
    const operations = operationsOf(buildSchema(await buildSchemaText()));
    for (const operation of operations.filter(({ kind }) => kind === 'query')) {
      for (const tenantKey of ['acme', null]) {
        const values = { tenantKey, tenant: tenantKey, key: 'acme', id: invitation.id, first: 50 };
        const { query, variables } = documentFor(operation, values, 3);
        readable[`${operation.name} of ${tenantKey}`] = JSON.stringify(await app.graphql(query, variables));
      }
    }
    const notices = '{ notices(first: 50) { totalCount nodes { kind title details data } } }';
    const shown = await app.graphql(notices);
    expect(shown.data.notices.nodes.map(({ kind }: { kind: string }) => kind)).toEqual(
      expect.arrayContaining(['member.invited', 'operator.invited', 'signup.requested']),
    );
    readable.notices = JSON.stringify(shown);
    const bearer = await app.bearer(['admin']);
    for (const format of ['jsonl', 'csv']) {
      const response = await fetch(`${app.url}/api/audit/export?format=${format}`, { headers: bearer });
      expect(response.status).toBe(200);
      readable[`audit.${format}`] = await response.text();
    }
    expect(readable['audit.jsonl']).toContain('invitation.create');
    readable.events = JSON.stringify([
      ...receiver.received,
      ...(await app.database.webhookDelivery.findMany()),
    ]);
    readable.mails = JSON.stringify(await app.database.mail.findMany());
    readable['notices as stored'] = JSON.stringify(await app.database.notice.findMany());
    const leaks = Object.entries(readable).flatMap(([name, text]) => [
      ...(SEALED.test(text) ? [`${name}: sealed text`] : []),
      ...(tokens.some((token) => text.includes(token)) ? [`${name}: token`] : []),
    ]);
    expect(leaks).toEqual([]);
  });

  it('is not inserted into text supplied by others', async () => {
    await invite('two@acme.example');
    await tokenMailedTo('two@acme.example');
    const rows = JSON.stringify([
      await app.database.notice.findMany(),
      await app.database.$queryRaw`SELECT * FROM "invitation"`,
    ]);
    const sealed = SEALED.exec(rows)?.[0] ?? '';
    expect(sealed).not.toBe('');
    await app.database.user.updateMany({ data: { role: 'OWNER' } });
    const text = `{{invitation ${sealed}}}`;
    await notify(text);
    const texts = () => mail.received.map((one) => one.text.replace(/=\r\n/g, ''));
    const received = () => texts().find((one) => one.includes('stopped reporting')) ?? '';
    await eventually(received);
    expect(received()).toContain('{{invitation');
    expect(received()).not.toMatch(TOKEN);
  });

  it('is sent to the invited address only, and only while the invitation is open', async () => {
    const { invitation } = await invite('three@acme.example');
    await tokenMailedTo('three@acme.example');
    const redirected = await storeMail('mallory@evil.example', invitation.id);
    const stateOf = async (id: string) => {
      const { status, lastError } = await app.database.mail.findUniqueOrThrow({ where: { id } });
      return { status, lastError };
    };
    const isUnreadable = { lastError: expect.stringMatching(/sealed/) };
    await expect.poll(() => stateOf(redirected)).toMatchObject(isUnreadable);
    await mutate(`invitationRevoke(input: { tenantKey: "acme", id: "${invitation.id}" })`);
    const late = await storeMail('three@acme.example', invitation.id);
    const isClosed = { status: 'FAILED', lastError: 'the link is no longer valid' };
    await expect.poll(() => stateOf(late)).toEqual(isClosed);
    expect(mailsTo('mallory@evil.example')).toEqual([]);
    expect(mailsTo('three@acme.example')).toHaveLength(1);
  });
});
