import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { InvitationLinks } from '../src/features/people/index.js';
import { runInScope } from '../src/platform/tenant-scope.js';
import { createPolicy } from './support/policy-factory.js';
import { PASSWORD, startTestApp, type TestApp } from './support/test-app.js';

const SIGN_UP =
  'mutation($input: TenantSignUpInput!) { tenantSignUp(input: $input) { userErrors { code field } } }';
const ACCEPT = `mutation($input: InvitationAcceptInput!) {
  invitationAccept(input: $input) { tenantKey userErrors { code field message } }
}`;
const INPUT = { key: 'newco', name: 'New Co', email: 'first@newco.example' };

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({
    SIGN_UP_TIER: 'basic',
    DECISION_URL: 'https://limits.test/v1-of-us/',
    UNDO_SECONDS: '3600',
  });
  await createPolicy(app);
});
afterAll(() => app.stop());

const signUp = async (input: object, to: TestApp = app) =>
  (await to.graphql(SIGN_UP, { input }, {})).data.tenantSignUp;

/** The token in the newest mail to an address. */
async function tokenFor(email: string): Promise<string> {
  const { id } = await app.database.invitation.findFirstOrThrow({ where: { email } });
  const links = app.app.get(InvitationLinks, { strict: false });
  const link = await runInScope('all', () => links.find(id, email));
  return link?.split('#')[1] ?? '';
}

describe('signing up', () => {
  it('creates nothing before the address is confirmed, then the tenant and its owner', async () => {
    expect(await signUp(INPUT)).toEqual({ userErrors: [] });
    expect(await app.database.tenant.count({ where: { key: 'newco' } })).toBe(0);
    const token = await tokenFor(INPUT.email);
    const answer = await app.graphql(ACCEPT, { input: { token, name: 'First', password: PASSWORD } }, {});
    expect(answer.data.invitationAccept).toEqual({ tenantKey: 'newco', userErrors: [] });
    const { data } = await app.graphql(
      '{ tenant(key: "newco") { status members { email role } subscription { tier { key } } } }',
    );
    expect(data.tenant).toEqual({
      status: 'ACTIVE',
      members: [{ email: INPUT.email, role: 'OWNER' }],
      subscription: { tier: { key: 'basic' } },
    });
  });

  it('does not reveal whether a key or an address exists, dry run or not', async () => {
    const answers = new Set<string>();
    for (const key of ['acme', 'nobody-has-this-key'])
      for (const dryRun of [true, false])
        for (const email of ['asker@b.example', INPUT.email])
          answers.add(JSON.stringify(await signUp({ key, name: 'X', email, dryRun })));
    expect([...answers]).toEqual(['{"userErrors":[]}']);
    const open = await app.database.invitation.findMany({
      where: { email: 'asker@b.example', revokedAt: null },
    });
    expect(open.map(({ signUpKey }) => signUpKey)).toEqual(['nobody-has-this-key']);
  });

  it.each(['Visit https://evil.example', 'www.evil.example', 'WWW.EVIL.EXAMPLE', 'x://y'])(
    'rejects the name %j, which would be a link in a mail',
    async (name) => {
      const email = 'linked@b.example';
      expect(await signUp({ key: 'linked', name, email })).toEqual({
        userErrors: [{ code: 'INVALID', field: ['name'] }],
      });
      expect(await app.database.invitation.count({ where: { email } })).toBe(0);
    },
  );

  it('keeps one link per address after concurrent sign-ups', async () => {
    const email = 'eager@b.example';
    const all = await Promise.all(
      Array.from({ length: 4 }, (_, n) => signUp({ key: `eager-${n}`, name: 'Eager', email })),
    );
    expect(all).toEqual(all.map(() => ({ userErrors: [] })));
    expect(await app.database.invitation.count({ where: { email, revokedAt: null } })).toBe(1);
  });

  it('with a key that is taken in the meantime is rejected on acceptance without partial changes', async () => {
    await signUp({ key: 'wanted', name: 'One', email: 'one@wanted.example' });
    await app.graphql(
      'mutation { tenantCreate(input: { key: "wanted", name: "Two", tierKey: "basic" }) { changeId } }',
    );
    const token = await tokenFor('one@wanted.example');
    const answer = await app.graphql(ACCEPT, { input: { token, name: 'One', password: PASSWORD } }, {});
    expect(answer.data.invitationAccept).toMatchObject({
      tenantKey: null,
      userErrors: [{ code: 'INVALID', message: expect.stringContaining('Sign up again') }],
    });
    expect(await app.database.user.count({ where: { email: 'one@wanted.example' } })).toBe(0);
  });

  it('is closed without a configured tier', async () => {
    const closed = await startTestApp();
    const installation = '{ installation { signUp decisionUrl undoSeconds } }';
    const open = { signUp: true, decisionUrl: 'https://limits.test/v1-of-us', undoSeconds: 3600 };
    expect((await app.graphql(installation, {}, {})).data).toEqual({ installation: open });
    expect((await closed.graphql(installation, {}, {})).data.installation).toEqual({
      signUp: false,
      decisionUrl: null,
      undoSeconds: 30,
    });
    expect(await signUp(INPUT, closed)).toMatchObject({ userErrors: [{ code: 'INVALID', field: null }] });
    await closed.stop();
  });
});
