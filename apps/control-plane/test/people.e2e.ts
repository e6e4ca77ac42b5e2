import { eventually } from '@tollgate/test-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { invitationMailsOf } from '../src/features/people/members/invitation-issuer.js';
import { createPolicy } from './support/policy-factory.js';
import { cookieOf, ORIGIN, PASSWORD, startTestApp, type TestApp } from './support/test-app.js';

type Headers = Record<string, string>;

let app: TestApp;
let owner: Headers;
let acmeId: string;
let acmeOwner: Headers;

beforeAll(async () => {
  app = await startTestApp({ MAIL_TRANSPORT: 'mailbox', SIGN_UP_TIER: 'basic' });
  await createPolicy(app);
  await app.graphql(
    'mutation { tenantCreate(input: { key: "other", name: "Other", tierKey: "basic" }) { changeId } }',
  );
  owner = await app.signIn('OWNER');
  acmeId = (await app.database.tenant.findUniqueOrThrow({ where: { key: 'acme' } })).id;
  acmeOwner = await app.signInMember(acmeId, 'OWNER');
});
afterAll(() => app.stop());

/** The payload of a mutation. */
async function mutate(name: string, input: object, fields: string, headers: Headers = owner) {
  const type = `${name.charAt(0).toUpperCase()}${name.slice(1)}Input`;
  const types: Record<string, string> = {
    InvitationResendInput: 'InvitationTargetInput',
    InvitationRevokeInput: 'InvitationTargetInput',
    OperatorInvitationResendInput: 'OperatorInvitationTargetInput',
    OperatorInvitationRevokeInput: 'OperatorInvitationTargetInput',
    TenantArchiveInput: 'TenantStatusInput',
    OperatorRemoveInput: 'OperatorStatusInput',
  };
  const query = `mutation($input: ${types[type] ?? type}!) { result: ${name}(input: $input) { ${fields} userErrors { code field message } } }`;
  const { data, errors } = await app.graphql(query, { input }, headers);
  return { ...data?.result, codes: errors.map(({ extensions }) => extensions.code) };
}

const invite = (email: string, role = 'DEVELOPER', headers: Headers = acmeOwner) =>
  mutate(
    'memberInvite',
    { tenantKey: 'acme', email, role },
    'invitation { id email role invitedBy }',
    headers,
  );

const accept = (token: string, more: object = {}, headers: Headers = {}) =>
  mutate('invitationAccept', { token, ...more }, 'email tenantKey', headers);

/** The token in the newest mail to an address. */
async function tokenFor(email: string, after = 0): Promise<string> {
  const mails = await eventually(async () => {
    const found = await app.database.mail.findMany({ where: { recipient: email }, orderBy: { id: 'desc' } });
    return found.length > after && found;
  });
  const [mail] = mails;
  expect(mail?.body).not.toMatch(/invitation#/);
  const page = await (await fetch(`${app.url}/mailbox/${mail?.id}`, { headers: owner })).text();
  return /\/invitation#([0-9A-Za-z]{32})/.exec(page)?.[1] ?? '';
}

async function signIn(email: string, password = PASSWORD): Promise<Headers> {
  const response = await fetch(`${app.url}/api/auth/sign-in/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: ORIGIN },
    body: JSON.stringify({ email, password }),
  });
  expect(response.status).toBe(200);
  return { cookie: cookieOf(response), origin: ORIGIN };
}

describe('an invitation', () => {
  let used = '';

  it('creates an account with a password that works at sign-in', async () => {
    expect(await invite('wile@acme.example')).toMatchObject({
      invitation: { email: 'wile@acme.example', role: 'DEVELOPER' },
      userErrors: [],
    });
    const token = await tokenFor('wile@acme.example');
    const { data } = await app.graphql(
      'query($t: String!) { invitation(token: $t) { email to hasAccount } }',
      { t: token },
      {},
    );
    expect(data.invitation).toEqual({ email: 'wile@acme.example', to: 'Acme', hasAccount: false });
    expect(await accept(token, { name: 'Wile', password: 'short' })).toMatchObject({
      userErrors: [{ code: 'INVALID', field: ['password'] }],
    });
    expect(await accept(token, { name: 'Wile E.', password: PASSWORD })).toMatchObject({
      email: 'wile@acme.example',
      tenantKey: 'acme',
      userErrors: [],
    });
    const headers = await signIn('wile@acme.example');
    const mine = await app.graphql(
      '{ viewer { role memberships { tenantKey role } } tenants { nodes { key } totalCount } }',
      {},
      headers,
    );
    expect(mine.data).toEqual({
      viewer: { role: null, memberships: [{ tenantKey: 'acme', role: 'DEVELOPER' }] },
      tenants: { nodes: [{ key: 'acme' }], totalCount: 1 },
    });
    expect(await accept(token, { name: 'Wile', password: PASSWORD })).toMatchObject({
      userErrors: [{ field: ['token'] }],
    });
    used = token;
  });

  it('is rejected in the same words if it is unknown, used, expired or revoked', async () => {
    const tokens = ['x'.repeat(32), used];
    for (const [email, change] of [
      ['late@acme.example', { expiresAt: new Date() }],
      ['gone@acme.example', { revokedAt: new Date() }],
    ] as const) {
      await invite(email);
      tokens.push(await tokenFor(email));
      await app.database.invitation.updateMany({ where: { email }, data: change });
    }
    const answers = new Set<string>();
    for (const token of tokens)
      answers.add(JSON.stringify(await accept(token, { name: 'X', password: PASSWORD })));
    expect(answers.size).toBe(1);
    for (const token of tokens) {
      const { data } = await app.graphql(
        'query($t: String!) { invitation(token: $t) { email } }',
        { t: token },
        {},
      );
      expect(data.invitation).toBeNull();
    }
  });

  it('adds a user with an account to another tenant, by password or session', async () => {
    await mutate(
      'memberInvite',
      { tenantKey: 'other', email: 'wile@acme.example', role: 'VIEWER' },
      'invitation { id }',
    );
    const token = await tokenFor('wile@acme.example', 1);
    expect(await accept(token, { password: 'not the password' })).toMatchObject({
      userErrors: [{ field: ['password'] }],
    });
    const wile = await signIn('wile@acme.example');
    expect(await accept(token, {}, wile)).toMatchObject({ tenantKey: 'other', userErrors: [] });
    const { data } = await app.graphql('{ viewer { memberships { tenantKey } } }', {}, wile);
    expect(data.viewer.memberships).toEqual([{ tenantKey: 'acme' }, { tenantKey: 'other' }]);
  });

  it('is resent with a new link, and revoked', async () => {
    const { invitation } = await invite('road@acme.example');
    expect(await invite('road@acme.example')).toMatchObject({
      userErrors: [{ code: 'TAKEN', field: ['email'] }],
    });
    const first = await tokenFor('road@acme.example');
    const target = { tenantKey: 'acme', id: invitation.id };
    expect(await mutate('invitationResend', target, 'invitation { id }', acmeOwner)).toMatchObject({
      userErrors: [],
    });
    const second = await tokenFor('road@acme.example', 1);
    expect(second).not.toBe(first);
    const isUsable = async (token: string) =>
      (await app.graphql('query($t: String!) { invitation(token: $t) { email } }', { t: token }, {})).data
        .invitation !== null;
    expect([await isUsable(first), await isUsable(second)]).toEqual([false, true]);
    const list = '{ invitations(tenantKey: "acme") { nodes { email } } }';
    expect((await app.graphql(list, {}, acmeOwner)).data.invitations.nodes).toContainEqual({
      email: 'road@acme.example',
    });
    expect(
      await mutate('invitationRevoke', { ...target, tenantKey: 'other' }, 'invitation { id }'),
    ).toMatchObject({
      userErrors: [{ code: 'NOT_FOUND' }],
    });
    await mutate('invitationRevoke', target, 'invitation { id }', acmeOwner);
    expect(await isUsable(second)).toBe(false);
  });

  it('is mailed to one address a few times only from all senders together', async () => {
    const email = 'flooded@acme.example';
    const { invitation } = await invite(email);
    const target = { tenantKey: 'acme', id: invitation.id };
    const resend = (more: object = {}, headers = acmeOwner) =>
      mutate('invitationResend', { ...target, ...more }, 'invitation { id }', headers);
    const codes = [];
    for (let i = 0; i < 8; i++) codes.push(...(await resend()).codes);
    expect(codes).toEqual(Array(4).fill('THROTTLED'));
    expect((await resend({}, owner)).codes).toEqual(['THROTTLED']);
    expect(await resend({ dryRun: true })).toMatchObject({ codes: [], userErrors: [] });
    expect(
      await mutate('memberInvite', { tenantKey: 'other', email, role: 'VIEWER' }, 'invitation { id }'),
    ).toMatchObject({ codes: ['THROTTLED'] });
    const path = { path: ['email'], equals: email };
    expect(await app.database.notice.count({ where: { kind: 'member.invited', data: path } })).toBe(5);
  });

  it('is sent to twenty addresses at once by a member, and to more by an operator', async () => {
    await app.graphql(
      'mutation { tenantCreate(input: { key: "many", name: "Many", tierKey: "basic" }) { changeId } }',
    );
    const { id } = await app.database.tenant.findUniqueOrThrow({ where: { key: 'many' } });
    const member = await app.signInMember(id, 'OWNER');
    let sent = 0;
    const send = async (headers: Headers): Promise<string[]> => {
      const input = { tenantKey: 'many', email: `many-${sent}@acme.example`, role: 'VIEWER' };
      return (await mutate('memberInvite', input, 'invitation { id }', headers)).codes;
    };
    // A slow machine restores some meanwhile.
    while (sent < 60 && (await send(member)).length === 0) sent++;
    expect(sent).toBeGreaterThanOrEqual(20);
    expect(sent).toBeLessThan(60);
    expect(await send(owner)).toEqual([]);
  });

  it('contains no link made of a name', async () => {
    const { id } = await app.database.tenant.findUniqueOrThrow({ where: { key: 'other' } });
    await app.database.tenant.update({ where: { id }, data: { name: 'Win at https://evil.com' } });
    const email = 'victim@acme.example';
    await mutate('memberInvite', { tenantKey: 'other', email, role: 'VIEWER' }, 'invitation { id }');
    const notice = await app.database.notice.findFirstOrThrow({
      where: { kind: 'member.invited', data: { path: ['email'], equals: email } },
    });
    const [mail] = invitationMailsOf(notice);
    for (const text of [mail?.subject, mail?.body]) {
      expect(text).toContain('Win at');
      expect(text).not.toMatch(/https?:\/\/evil|evil\.com/);
    }
    await app.database.tenant.update({ where: { id }, data: { name: 'Other' } });
  });

  it('is accepted once by concurrent requests', async () => {
    await invite('twin@acme.example');
    const token = await tokenFor('twin@acme.example');
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => accept(token, { name: 'Twin', password: PASSWORD })),
    );
    expect(answers.filter(({ tenantKey }) => tenantKey === 'acme')).toHaveLength(1);
    expect(await app.database.user.count({ where: { email: 'twin@acme.example' } })).toBe(1);
  });

  it('cannot be guessed: attempts per address are limited', async () => {
    const guess = () => app.graphql('{ invitation(token: "guess") { email } }', {}, {});
    let code: string | undefined;
    for (let i = 0; i < 40 && code === undefined; i++) code = (await guess()).errors[0]?.extensions.code;
    expect(code).toBe('THROTTLED');
  });
});

describe('members', () => {
  const roles = ['OWNER', 'BUYER', 'DEVELOPER', 'VIEWER'] as const;

  it.each(roles)('as %s have exactly the permissions of the role, in their tenant only', async (role) => {
    const headers = await app.signInMember(acmeId, role);
    const codeOf = async (tenantKey: string) => {
      const input = { tenantKey, email: 'not a mail address', role: 'VIEWER' };
      const { codes, userErrors } = await mutate('memberInvite', input, 'invitation { id }', headers);
      return codes[0] ?? userErrors[0]?.code;
    };
    expect([await codeOf('acme'), await codeOf('other'), await codeOf('nobody')]).toEqual([
      role === 'OWNER' ? 'INVALID' : 'FORBIDDEN',
      'NOT_FOUND',
      'NOT_FOUND',
    ]);
    const { data } = await app.graphql('{ tenant(key: "acme") { members { email } } }', {}, headers);
    expect(data.tenant.members.length).toBeGreaterThan(0);
  });

  it('do not find objects of another tenant by id', async () => {
    const other = await app.database.tenant.findUniqueOrThrow({ where: { key: 'other' } });
    const find = async (id: string) =>
      (await app.graphql('query($id: ID!) { node(id: $id) { id } }', { id }, acmeOwner)).data.node;
    expect(await find(acmeId)).toEqual({ id: acmeId });
    expect(await find(other.id)).toBeNull();
  });

  it('lose permissions with the next request of the same session', async () => {
    const headers = await app.signInMember(acmeId, 'DEVELOPER');
    const { data } = await app.graphql('{ viewer { id email } }', {}, headers);
    const member = await app.database.member.findFirstOrThrow({ where: { userId: data.viewer.id } });
    const keys = () => app.graphql('{ apiKeys(tenantKey: "acme") { totalCount } }', {}, headers);
    expect((await keys()).errors).toEqual([]);
    const target = { tenantKey: 'acme', id: member.id };
    expect(
      await mutate('memberRoleChange', { ...target, role: 'VIEWER' }, 'member { role }', acmeOwner),
    ).toMatchObject({
      member: { role: 'VIEWER' },
    });
    expect((await keys()).errors[0]?.extensions.code).toBe('FORBIDDEN');
    await mutate('memberRemove', target, 'member { id }', acmeOwner);
    const gone = await app.graphql('{ tenant(key: "acme") { key } }', {}, headers);
    expect(gone.errors[0]?.extensions.code).toBe('NOT_FOUND');
  });

  it('keep one owner, even if two remove each other concurrently', async () => {
    const { id } = await app.database.tenant.findUniqueOrThrow({ where: { key: 'other' } });
    const pair = await Promise.all([app.signInMember(id, 'OWNER'), app.signInMember(id, 'OWNER')]);
    const owners = await app.database.member.findMany({
      where: { tenantId: id, role: 'OWNER' },
      orderBy: { id: 'asc' },
    });
    await Promise.all(
      owners.map((member, i) =>
        mutate('memberRemove', { tenantKey: 'other', id: member.id }, 'member { id }', pair[i] as Headers),
      ),
    );
    const left = await app.database.member.findMany({ where: { tenantId: id, role: 'OWNER' } });
    expect(left).toHaveLength(1);
    const last = { tenantKey: 'other', id: left[0]?.id };
    expect(await mutate('memberRemove', last, 'member { id }')).toMatchObject({
      userErrors: [{ code: 'INVALID' }],
    });
    expect(await mutate('memberRoleChange', { ...last, role: 'BUYER' }, 'member { id }')).toMatchObject({
      userErrors: [{ code: 'INVALID' }],
    });
  });
});

describe('operators', () => {
  it('are invited, change role and leave; the last owner remains', async () => {
    const input = { email: 'ops@tollgate.example', role: 'SUPPORT' };
    const { invitation } = await mutate('operatorInvite', input, 'invitation { id operatorRole }');
    expect(invitation.operatorRole).toBe('SUPPORT');
    const open = await app.graphql('{ operatorInvitations { nodes { email } } }', {}, owner);
    expect(open.data.operatorInvitations.nodes).toEqual([{ email: 'ops@tollgate.example' }]);
    await mutate('operatorInvitationResend', { id: invitation.id }, 'invitation { id }');
    const { data } = await app.graphql('{ operators { id email role } }', {}, owner);
    const [only] = data.operators;
    expect(await mutate('operatorRemove', { id: only.id }, 'operator { id }')).toMatchObject({
      userErrors: [{ code: 'INVALID', field: ['id'] }],
    });
    const support = await app.signIn('SUPPORT');
    const { id } = (await app.graphql('{ viewer { id } }', {}, support)).data.viewer;
    expect(await mutate('operatorRoleChange', { id, role: 'AUDITOR' }, 'operator { role }')).toMatchObject({
      operator: { role: 'AUDITOR' },
    });
    expect((await app.graphql('{ viewer { role } }', {}, support)).data.viewer.role).toBe('AUDITOR');
    await mutate('operatorRemove', { id }, 'operator { id }');
    expect((await app.graphql('{ viewer { id } }', {}, support)).errors[0]?.extensions.code).toBe(
      'UNAUTHENTICATED',
    );
    expect(
      await mutate('operatorInvitationRevoke', { id: invitation.id }, 'invitation { id }'),
    ).toMatchObject({ userErrors: [] });
  });

  it.each(['LIMITS_ADMIN', 'SUPPORT', 'BILLING', 'VIEWER'] as const)('%s creates none', async (role) => {
    const input = { email: 'x@tollgate.example', role: 'OWNER' };
    expect(
      (await mutate('operatorInvite', input, 'invitation { id }', await app.signIn(role))).codes,
    ).toEqual(['FORBIDDEN']);
  });
});

describe('an archived tenant', () => {
  it('is not accessible to its members, and keeps its key', async () => {
    const create = () =>
      mutate('tenantCreate', { key: 'brief', name: 'Brief', tierKey: 'basic' }, 'tenant { id }');
    const { tenant } = await create();
    const member = await app.signInMember(tenant.id, 'OWNER');
    const input = { tenantKey: 'brief', expectedVersion: 1 };
    expect(await mutate('tenantArchive', input, 'tenant { status }')).toMatchObject({
      tenant: { status: 'ARCHIVED' },
    });
    expect(
      (await app.graphql('{ tenant(key: "brief") { id } }', {}, member)).errors[0]?.extensions.code,
    ).toBe('NOT_FOUND');
    expect(await mutate('tenantArchive', { ...input, expectedVersion: 2 }, 'tenant { id }')).toMatchObject({
      userErrors: [{ code: 'NOT_FOUND' }],
    });
    expect(await create()).toMatchObject({ userErrors: [{ code: 'TAKEN', field: ['key'] }] });
  });
});
