import { eventually } from '@tollgate/test-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApplyChangeSetsJob } from '../src/features/governance/index.js';
import { MemberRole, OperatorRole } from '../src/platform/prisma/schema.js';
import { type Person, signInPerson } from './support/people.js';
import { createPolicy } from './support/policy-factory.js';
import { PASSWORD, startTestApp, type TestApp } from './support/test-app.js';

type Headers = Record<string, string>;

/** A change of rights, which the server checks before it runs. */
interface Change {
  name: string;
  inputType: string;
  input(): object;
  /** May run the mutation but lacks a right of the grant. */
  denied(): Promise<Headers>;
}

const members = new Map<MemberRole, string>();
const operators = new Map<OperatorRole, string>();
let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({ MAIL_TRANSPORT: 'mailbox' });
  await createPolicy(app);
  // One person per role, as the target of changes.
  for (const role of Object.values(MemberRole)) {
    const { id } = await signInPerson(app, { members: { acme: role } });
    members.set(role, (await app.database.member.findFirstOrThrow({ where: { userId: id } })).id);
  }
  // Another owner, so that none is the last one.
  await signInPerson(app, { role: 'OWNER', members: { acme: 'OWNER' } });
  for (const role of Object.values(OperatorRole)) operators.set(role, (await signInPerson(app, { role })).id);
});
afterAll(() => app.stop());

const support = () => app.signIn('SUPPORT');
const changesOperators = () => app.bearer(['operators:write']);
const issuesTokens = () => app.bearer(['service-tokens:write']);

/** `grants.spec.ts` compares all roles and scopes; these show that each mutation asks. */
const CHANGES: Change[] = [
  {
    name: 'memberInvite',
    inputType: 'MemberInviteInput',
    input: () => ({ tenantKey: 'acme', email: 'new@example.com', role: 'OWNER' }),
    denied: support,
  },
  {
    name: 'memberRoleChange',
    inputType: 'MemberRoleChangeInput',
    input: () => ({ tenantKey: 'acme', id: members.get('VIEWER'), role: 'OWNER' }),
    denied: support,
  },
  {
    name: 'memberRoleChange',
    inputType: 'MemberRoleChangeInput',
    input: () => ({ tenantKey: 'acme', id: members.get('OWNER'), role: 'VIEWER' }),
    denied: support,
  },
  {
    name: 'memberRemove',
    inputType: 'MemberRemoveInput',
    input: () => ({ tenantKey: 'acme', id: members.get('OWNER') }),
    denied: support,
  },
  {
    name: 'operatorInvite',
    inputType: 'OperatorInviteInput',
    input: () => ({ email: 'new@example.com', role: 'OWNER' }),
    denied: changesOperators,
  },
  {
    name: 'operatorRoleChange',
    inputType: 'OperatorRoleChangeInput',
    input: () => ({ id: operators.get('VIEWER'), role: 'OWNER' }),
    denied: changesOperators,
  },
  {
    name: 'operatorRoleChange',
    inputType: 'OperatorRoleChangeInput',
    input: () => ({ id: operators.get('OWNER'), role: 'VIEWER' }),
    denied: changesOperators,
  },
  ...['operatorSuspend', 'operatorRemove'].map((name) => ({
    name,
    inputType: 'OperatorStatusInput',
    input: () => ({ id: operators.get('OWNER') }),
    denied: changesOperators,
  })),
  {
    name: 'serviceTokenCreate',
    inputType: 'ServiceTokenCreateInput',
    input: () => ({ name: 'new', scopes: ['decide'] }),
    denied: issuesTokens,
  },
  {
    name: 'serviceTokenCreate',
    inputType: 'ServiceTokenCreateInput',
    input: () => ({ name: 'new', scopes: ['members:write'], tenantKeys: ['acme'] }),
    denied: issuesTokens,
  },
];

describe('granting, changing and removing rights', () => {
  it.each(CHANGES)('by $name is denied without these rights', async ({ name, inputType, input, denied }) => {
    const attempt = (headers: Headers) => mutate(headers, name, inputType, { ...input(), dryRun: true });
    expect(await attempt(await denied())).toMatchObject(REFUSED);
    expect(await attempt(await app.signIn('OWNER'))).toMatchObject({ userErrors: [], codes: [] });
    expect(await attempt(await app.signIn('AUDITOR'))).toMatchObject({ codes: ['FORBIDDEN'] });
  });
});

/** The payload of an executed mutation; `codes` are errors of the request. */
async function mutate(headers: Headers, name: string, inputType: string, input: object, fields = '') {
  const query = `mutation($input: ${inputType}!) { result: ${name}(input: $input) { ${fields} userErrors { code field message } } }`;
  const { data, errors } = await app.graphql(query, { input }, headers);
  return { ...data?.result, codes: errors.map(({ extensions }) => extensions.code) };
}

const invite = (headers: Headers, email: string, role: string) =>
  mutate(
    headers,
    'memberInvite',
    'MemberInviteInput',
    { tenantKey: 'acme', email, role },
    'invitation { id }',
  );

const REFUSED = { userErrors: [{ code: 'INVALID' }] };

describe('reported escalations', () => {
  it('support staff cannot invite themselves as owner of a tenant', async () => {
    const support = await signInPerson(app, { role: 'SUPPORT' });
    expect(await invite(support.headers, support.email, 'OWNER')).toMatchObject({
      userErrors: [{ code: 'INVALID', field: ['role'], message: expect.stringContaining('in acme') }],
    });
    expect(await invite(support.headers, support.email, 'VIEWER')).toMatchObject({ userErrors: [] });
  });

  it('members:write alone cannot invite an owner', async () => {
    for (const headers of [
      await app.bearer(['members:write']),
      await app.bearer(['members:write'], ['acme']),
    ])
      expect(await invite(headers, 'tokens-friend@example.com', 'OWNER')).toMatchObject(REFUSED);
  });

  it('operators:write alone cannot invite or make an owner', async () => {
    const headers = await app.bearer(['operators:write', 'operators:read']);
    const input = { email: 'boss@example.com', role: 'OWNER' };
    expect(await mutate(headers, 'operatorInvite', 'OperatorInviteInput', input)).toMatchObject(REFUSED);
    const change = { id: operators.get('VIEWER'), role: 'OWNER' };
    expect(await mutate(headers, 'operatorRoleChange', 'OperatorRoleChangeInput', change)).toMatchObject(
      REFUSED,
    );
  });

  it('service-tokens:write alone cannot issue or rotate a token with decide', async () => {
    const headers = await app.bearer(['service-tokens:write', 'service-tokens:read']);
    const input = { name: 'decider', scopes: ['decide'] };
    expect(await mutate(headers, 'serviceTokenCreate', 'ServiceTokenCreateInput', input)).toMatchObject({
      userErrors: [{ code: 'INVALID', field: ['scopes', '0'] }],
    });
    await app.bearer(['decide']);
    const { data } = await app.graphql('{ serviceTokens { id scopes } }');
    const decider = data.serviceTokens.find(({ scopes }: { scopes: string[] }) => scopes.includes('decide'));
    expect(
      await mutate(headers, 'serviceTokenRotate', 'ServiceTokenRotateInput', { id: decider.id }, 'token'),
    ).toMatchObject({ token: null, ...REFUSED });
  });

  it('a token of one tenant cannot issue one for all tenants', async () => {
    const headers = await app.bearer(['admin'], ['acme']);
    const input = { name: 'wider', scopes: ['tenants:read'] };
    expect(await mutate(headers, 'serviceTokenCreate', 'ServiceTokenCreateInput', input)).toMatchObject({
      codes: ['FORBIDDEN'],
    });
  });

  it('config:write alone cannot apply a configuration; the scope config can', async () => {
    const document = JSON.stringify({ version: 1, apis: { sideways: { name: 'Sideways' } } });
    const apply = (headers: Headers) =>
      mutate(headers, 'configApply', 'ConfigApplyInput', { document, dryRun: true }, 'changes { path }');
    expect(await apply(await app.bearer(['config:write']))).toMatchObject({
      userErrors: [{ code: 'INVALID', field: ['document', 'apis', 'sideways'] }],
    });
    expect(await apply(await app.bearer(['config']))).toMatchObject({
      changes: [{ path: 'apis.sideways' }],
      userErrors: [],
    });
  });
});

describe('bypasses', () => {
  it('resending an owner invitation requires the permissions of an owner', async () => {
    const owner = await app.signIn('OWNER');
    const { invitation } = await invite(owner, 'resent@example.com', 'OWNER');
    const target = { tenantKey: 'acme', id: invitation.id };
    const resend = (headers: Headers) =>
      mutate(headers, 'invitationResend', 'InvitationTargetInput', target, 'invitation { id }');
    expect(await resend(await app.signIn('SUPPORT'))).toMatchObject(REFUSED);
    expect(await resend(owner)).toMatchObject({ userErrors: [] });
    // Revoking grants nothing.
    expect(
      await mutate(await app.signIn('SUPPORT'), 'invitationRevoke', 'InvitationTargetInput', target),
    ).toMatchObject({ userErrors: [] });
  });

  it('an invitation is invalid after its inviter loses the permissions of its role', async () => {
    const inviter = await signInPerson(app, { members: { acme: 'OWNER' } });
    const { invitation, ...problems } = await invite(inviter.headers, 'late@example.com', 'OWNER');
    expect(problems).toEqual({ userErrors: [], codes: [] });
    const link = await linkFor('late@example.com', 0);
    const view = () => app.graphql('query($t: String!) { invitation(token: $t) { role } }', { t: link }, {});
    expect((await view()).data.invitation).toEqual({ role: 'OWNER' });

    await app.database.member.updateMany({ where: { userId: inviter.id }, data: { role: 'VIEWER' } });
    expect((await view()).data.invitation).toBeNull();
    const answer = { token: link, name: 'Late', password: PASSWORD };
    expect(await mutate({}, 'invitationAccept', 'InvitationAcceptInput', answer)).toMatchObject({
      userErrors: [{ field: ['token'] }],
    });

    // Resent by an owner, it has that owner's permissions.
    const target = { tenantKey: 'acme', id: invitation.id };
    await mutate(await app.signIn('OWNER'), 'invitationResend', 'InvitationTargetInput', target);
    const token = await linkFor('late@example.com', 1);
    expect(
      await mutate({}, 'invitationAccept', 'InvitationAcceptInput', { ...answer, token }, 'tenantKey'),
    ).toMatchObject({ tenantKey: 'acme', userErrors: [] });
  });

  it('a stored response is not returned to another sender of the same idempotency key', async () => {
    const input = { name: 'replayed', scopes: ['read'] };
    const send = async (headers: Headers) =>
      mutate(
        { ...headers, 'idempotency-key': 'grants-1' },
        'serviceTokenCreate',
        'ServiceTokenCreateInput',
        input,
        'token',
      );
    const first = await send(await app.signIn('OWNER'));
    expect(first.token).toMatch(/^tga_/);
    expect(await send(await app.bearer(['service-tokens:write']))).toMatchObject({ token: null, ...REFUSED });
  });

  it('changeRevert refuses to revert a role change', async () => {
    const owner = await app.signIn('OWNER');
    const input = { tenantKey: 'acme', id: members.get('VIEWER'), role: 'DEVELOPER' };
    await mutate(owner, 'memberRoleChange', 'MemberRoleChangeInput', input);
    const where = { action: 'member.roleChange' };
    const { changeId } = await app.database.auditEntry.findFirstOrThrow({ where });
    expect(await mutate(owner, 'changeRevert', 'ChangeRevertInput', { changeId })).toMatchObject(REFUSED);
  });
});

describe('a change set', () => {
  const input = { tenantKey: 'acme', name: 'Acme & Sons' };
  type Set = {
    changeSet: { id: string; version: number; status: string; errors: { message: string }[] | null };
  };
  const FIELDS = 'changeSet { id version status }';
  const step = (who: Person, name: string, more: object, set?: Set): Promise<Set & typeof REFUSED> => {
    const of = set && { id: set.changeSet.id, expectedVersion: set.changeSet.version };
    const types: Record<string, string> = {
      Approve: 'Review',
      Create: 'Create',
      AddItem: 'AddItem',
      Schedule: 'Schedule',
    };
    return mutate(
      who.headers,
      `changeSet${name}`,
      `ChangeSet${types[name] ?? ''}Input`,
      { ...of, ...more },
      FIELDS,
    );
  };
  const submitted = async (author: Person, needsApproval: boolean) => {
    let set: Set = await step(author, 'Create', { title: 'Rename', needsApproval });
    set = await step(author, 'AddItem', { command: 'tenantUpdate', input }, set);
    return step(author, 'Submit', {}, set);
  };
  const setRole = (who: Person, role: OperatorRole) =>
    app.database.user.update({ where: { id: who.id }, data: { role } });

  it('can be approved only by a person with the permissions for its changes', async () => {
    const set = await submitted(await signInPerson(app, { role: 'OWNER' }), true);
    // May approve change sets but not change tenants.
    const limits = await signInPerson(app, { role: 'LIMITS_ADMIN' });
    expect(await step(limits, 'Approve', {}, set)).toMatchObject({
      userErrors: [{ code: 'INVALID', field: ['items', '0'] }],
    });
    const owner = await signInPerson(app, { role: 'OWNER' });
    expect(await step(owner, 'Approve', {}, set)).toMatchObject({ changeSet: { status: 'APPROVED' } });
  });

  it('cannot be applied by another person after its author has lost the permissions', async () => {
    const author = await signInPerson(app, { role: 'OWNER' });
    const set = await submitted(author, false);
    await setRole(author, 'VIEWER');
    const owner = await signInPerson(app, { role: 'OWNER' });
    expect(await step(owner, 'Apply', {}, set)).toMatchObject({
      userErrors: [{ code: 'INVALID', field: ['items', '0'] }],
    });
    await setRole(author, 'OWNER');
    expect(await step(owner, 'Apply', {}, set)).toMatchObject({ changeSet: { status: 'APPLIED' } });
  });

  it.each(['author', 'scheduler'] as const)(
    'fails at its scheduled time if its %s has lost the permission',
    async (who) => {
      const people = {
        author: await signInPerson(app, { role: 'OWNER' }),
        scheduler: await signInPerson(app, { role: 'OWNER' }),
      };
      const set = await submitted(people.author, false);
      const at = new Date(Date.now() + 60_000).toISOString();
      const scheduled = await step(people.scheduler, 'Schedule', { at }, set);
      expect(scheduled.changeSet.status).toBe('SCHEDULED');
      await setRole(people[who], 'VIEWER');
      const past = new Date(Date.now() - 1000);
      await app.database.changeSet.update({ where: { id: set.changeSet.id }, data: { scheduledAt: past } });
      await app.app.get(ApplyChangeSetsJob, { strict: false }).run();
      const row = await app.database.changeSet.findUniqueOrThrow({ where: { id: set.changeSet.id } });
      expect(row.status).toBe('FAILED');
      expect(JSON.stringify(row.errors)).toContain('["items","0"]');
    },
  );
});

describe('grantable', () => {
  it('lists the roles and scopes that the caller may grant', async () => {
    const ask = async (headers: Headers, tenantKey: string | null = 'acme') => {
      const query = 'query($t: String) { grantable(tenantKey: $t) { operatorRoles memberRoles scopes } }';
      return (await app.graphql(query, { t: tenantKey }, headers)).data.grantable;
    };
    expect(await ask(await app.signIn('SUPPORT'))).toMatchObject({
      operatorRoles: [],
      memberRoles: ['VIEWER'],
    });
    const issuer = await ask(await app.bearer(['service-tokens:write']), null);
    expect(issuer).toEqual({ operatorRoles: [], memberRoles: [], scopes: ['service-tokens:write'] });
  });
});

/** The secret in the link of the newest invitation mail. @param after number of earlier mails */
async function linkFor(email: string, after: number): Promise<string> {
  const mails = await eventually(async () => {
    const found = await app.database.mail.findMany({ where: { recipient: email }, orderBy: { id: 'desc' } });
    return found.length > after && found;
  });
  const owner = await app.signIn('OWNER');
  const page = await (await fetch(`${app.url}/mailbox/${mails[0]?.id}`, { headers: owner })).text();
  return /\/invitation#([0-9A-Za-z]{32})/.exec(page)?.[1] ?? '';
}
