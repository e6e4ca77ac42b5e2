import { newSigningKey } from '@tollgate/policy';
import { describe, expect, it } from 'vitest';
import { ConfigError, loadConfig, loadSetupConfig } from './app-config.js';

const ENV = {
  DATABASE_URL: 'postgresql://user:secret@db/tollgate',
  REDIS_CONFIG_URL: 'redis://redis:6379',
  SESSION_SECRET: 'x'.repeat(32),
  TOKEN_PEPPER: 'y'.repeat(32),
};

/** A production environment without any insecure setting. */
const PRODUCTION = {
  ...ENV,
  PUBLIC_URL: 'https://tollgate.example',
  SESSION_SECRET: 'ax6Dn2kYcQw0sUq1Zt7Rj5Lh9Vb3Mf8G',
  TOKEN_PEPPER: 'Jr4Tb8Wq1Zp6Xm3Kc9Lv5Nd2Hs7Gf0Ye',
  ENCRYPTION_SECRETS: 'a:Qm7Vx2Bn9Lk4Cz6Jh1Gf8Ds3Pw5Rt0Yu',
  AUDIT_KEY: 'Hd3Kf9Ls2Mz7Nx4Cv8Bq1Wp6Er5Ty0Ui',
  DATABASE_SCOPE_SECRETS: 'Xq5Nv8Zb2Kt6Wm1Jr9Lc4Hp7Gs3Dy0Fu',
  POLICY_SIGNING_KEY: newSigningKey(),
};

describe('a production environment', () => {
  it('starts without a warning when nothing is insecure', () => {
    expect(loadConfig(PRODUCTION)).toMatchObject({ isProduction: true, acceptedInsecurities: [] });
  });

  it.each([
    ['a secret of one character', { SESSION_SECRET: 'a'.repeat(40) }, 'weak-secrets', 'SESSION_SECRET has'],
    [
      'an example as a secret',
      { AUDIT_KEY: 'change-me-0123456789-0123456789-01' },
      'weak-secrets',
      'AUDIT_KEY',
    ],
    [
      'a weak older pepper',
      { TOKEN_PEPPERS_OLD: `2:${'ab'.repeat(16)}` },
      'weak-secrets',
      'TOKEN_PEPPERS_OLD',
    ],
    ['a weak seal', { ENCRYPTION_SECRETS: `a:${'1'.repeat(32)}` }, 'weak-secrets', 'ENCRYPTION_SECRETS has'],
    [
      'one secret for two purposes',
      { TOKEN_PEPPER: PRODUCTION.SESSION_SECRET },
      'shared-secrets',
      'SESSION_SECRET and TOKEN_PEPPER are equal',
    ],
    ['no key for sealing', { ENCRYPTION_SECRETS: '' }, 'shared-secrets', 'ENCRYPTION_SECRETS is not set'],
    ['no key for the audit trail', { AUDIT_KEY: '' }, 'shared-secrets', 'AUDIT_KEY is not set'],
    [
      'no key for database scopes',
      { DATABASE_SCOPE_SECRETS: '' },
      'shared-secrets',
      'DATABASE_SCOPE_SECRETS is not set',
    ],
    ['an http address', { PUBLIC_URL: 'http://tollgate.example' }, 'plain-http', 'PUBLIC_URL is'],
    ['no address but a public HOST', { PUBLIC_URL: '', HOST: '::' }, 'plain-http', 'PUBLIC_URL is'],
    ['Stripe over http', { STRIPE_API_BASE: 'http://stripe.example' }, 'plain-http', 'STRIPE_API_BASE is'],
    ['test cards', { PAYMENT_TEST_ENABLED: 'true' }, 'test-payments', 'PAYMENT_TEST_ENABLED is true'],
    ['unsigned policy', { POLICY_SIGNING_KEY: '' }, 'unsigned-policy', 'POLICY_SIGNING_KEY is not set'],
  ])('refuses %s unless ALLOW_INSECURE names it', (_title, over, setting, problem) => {
    const env = { ...PRODUCTION, ...over };
    const { message } = catchError(() => loadConfig(env));
    expect(message).toContain(problem);
    expect(message).toContain(`ALLOW_INSECURE=${setting}`);
    expect(message.split('\n')).toHaveLength(2);
    const other = setting === 'plain-http' ? 'weak-secrets' : 'plain-http';
    expect(() => loadConfig({ ...env, ALLOW_INSECURE: other })).toThrow(problem);
    const accepted = loadConfig({ ...env, ALLOW_INSECURE: `${other},${setting}` }).acceptedInsecurities;
    expect(accepted).toEqual([{ setting, problem: expect.stringContaining(problem) }]);
    // On loopback it is a development installation.
    const local = { ...env, PUBLIC_URL: 'http://console.localhost:4400', HOST: '' };
    expect(loadConfig(local)).toMatchObject({ isProduction: false, acceptedInsecurities: [] });
  });

  it('reports all insecure settings together, by name and never by value', () => {
    const env = { ...PRODUCTION, PUBLIC_URL: 'http://hunter.example', SESSION_SECRET: 'hunter2'.repeat(6) };
    const more = { PAYMENT_TEST_ENABLED: 'true', PORT: 'hunter', TOKEN_PEPPER: 'hunter' };
    const { message } = catchError(() => loadConfig({ ...env, ...more }));
    for (const name of ['PUBLIC_URL', 'SESSION_SECRET', 'PAYMENT_TEST_ENABLED', 'PORT', 'TOKEN_PEPPER'])
      expect(message).toContain(name);
    expect(message).not.toContain('hunter');
  });

  it('refuses an unknown name in ALLOW_INSECURE', () => {
    expect(() => loadConfig({ ...PRODUCTION, ALLOW_INSECURE: 'everything' })).toThrow(
      /ALLOW_INSECURE must be names from weak-secrets, /,
    );
  });

  it('accepts SESSION_SECRET as a key that opens earlier seals, and not as the key that seals', () => {
    const { ENCRYPTION_SECRETS: own, SESSION_SECRET: session } = PRODUCTION;
    const upgraded = loadConfig({ ...PRODUCTION, ENCRYPTION_SECRETS: `${own},session:${session}` });
    expect(upgraded.encryptionSecrets.map(({ id }) => id)).toEqual(['a', 'session']);
    expect(() => loadConfig({ ...PRODUCTION, ENCRYPTION_SECRETS: `session:${session},${own}` })).toThrow(
      'SESSION_SECRET and ENCRYPTION_SECRETS are equal',
    );
  });
});

describe('loadConfig', () => {
  it('fills in defaults', () => {
    expect(loadConfig(ENV)).toMatchObject({
      port: 4000,
      publicOrigin: 'http://127.0.0.1:4000',
      redisCountersUrl: ENV.REDIS_CONFIG_URL,
      worker: 'inline',
      graphqlIntrospection: false,
    });
  });

  it('takes a variable that is set to nothing for one that is not set', () => {
    expect(loadConfig({ ...ENV, PORT: '', REDIS_COUNTERS_URL: '' })).toMatchObject({ port: 4000 });
  });

  it('wants the secrets of a payment provider that is switched on, and of no other', () => {
    expect(loadConfig(ENV).payments).toMatchObject({
      invoice: { enabled: true },
      test: { enabled: false },
      stripe: { enabled: false },
    });
    const on = { ...ENV, PAYMENT_STRIPE_ENABLED: 'true', STRIPE_SECRET_KEY: 'sk_test_12345678' };
    const { message } = catchError(() => loadConfig({ ...on, STRIPE_API_BASE: 'ftp://hunter2' }));
    expect(message).toContain('STRIPE_WEBHOOK_SECRET is not set');
    expect(message).toContain('STRIPE_API_BASE must be');
    expect(message).not.toMatch(/hunter2|sk_test/);
    const secrets = 'whsec_0123456789,whsec_9876543210';
    expect(loadConfig({ ...on, STRIPE_WEBHOOK_SECRET: secrets }).payments.stripe).toMatchObject({
      enabled: true,
      webhookSecrets: ['whsec_0123456789', 'whsec_9876543210'],
      apiBase: new URL('https://api.stripe.com'),
    });
  });

  it.each(['https://limits.example.com', 'http://10.0.0.7:4000', 'https://localhost.example.com'])(
    'refuses MAIL_TRANSPORT=mailbox with PUBLIC_URL %s',
    (publicUrl) => {
      const env = { ...ENV, MAIL_TRANSPORT: 'mailbox', PUBLIC_URL: publicUrl };
      expect(() => loadConfig(env)).toThrow(/MAIL_TRANSPORT=mailbox.*PUBLIC_URL/);
    },
  );

  it('refuses MAIL_TRANSPORT=mailbox without PUBLIC_URL where HOST is not loopback', () => {
    const env = { ...ENV, MAIL_TRANSPORT: 'mailbox', HOST: '0.0.0.0' };
    expect(() => loadConfig(env)).toThrow(/MAIL_TRANSPORT=mailbox.*PUBLIC_URL/);
  });

  it.each([
    'http://127.0.0.1:4000',
    'http://localhost:4000',
    'http://[::1]:4000',
    'http://tollgate.localhost',
  ])('accepts MAIL_TRANSPORT=mailbox with PUBLIC_URL %s', (publicUrl) => {
    const env = { ...ENV, MAIL_TRANSPORT: 'mailbox', PUBLIC_URL: publicUrl };
    expect(loadConfig(env).mail).toMatchObject({ transport: 'mailbox' });
  });

  it('reads the address and the table of the usage export', () => {
    expect(loadConfig(ENV).usageExport).toBeUndefined();
    const env = { ...ENV, USAGE_EXPORT_URL: 'https://user:hunter2@clickhouse:8443/reports' };
    expect(loadConfig(env).usageExport).toEqual({ url: env.USAGE_EXPORT_URL, table: 'usage_frames' });
    const table = 'reports.frames_2026';
    expect(loadConfig({ ...env, USAGE_EXPORT_TABLE: table }).usageExport?.table).toBe(table);
    for (const broken of ['a.b.c', '1st', 't FORMAT Null', 'a`b'])
      expect(() => loadConfig({ ...env, USAGE_EXPORT_TABLE: broken })).toThrow('USAGE_EXPORT_TABLE must be');
  });

  it('cannot be changed afterwards', () => {
    expect(() => Object.assign(loadConfig(ENV), { port: 1 })).toThrow(TypeError);
  });

  it('reports all problems together, by name and never by value', () => {
    const broken = {
      DATABASE_URL: 'mysql://root:hunter2@db',
      SESSION_SECRET: 'hunter3',
      PORT: '70000',
      WORKER: 'hunter4',
    };
    const error = catchError(() => loadConfig(broken));
    expect(error).toBeInstanceOf(ConfigError);
    for (const name of [
      'DATABASE_URL',
      'REDIS_CONFIG_URL',
      'SESSION_SECRET',
      'TOKEN_PEPPER',
      'PORT',
      'WORKER',
    ]) {
      expect(error.message).toContain(name);
    }
    expect(error.message).not.toMatch(/hunter|70000/);
  });

  it('reads secrets from files', () => {
    const { SESSION_SECRET: _, ...env } = ENV;
    expect(() => loadConfig({ ...env, SESSION_SECRET_FILE: '/absent' })).toThrow(
      /SESSION_SECRET_FILE cannot be read \(ENOENT\)/,
    );
    expect(loadConfig({ ...env, SESSION_SECRET_FILE: import.meta.filename }).sessionSecret).toMatch(
      /^import /,
    );
  });

  it('requires an owner for setup, in the environment or in the state file', () => {
    expect(() => loadSetupConfig(ENV)).toThrow(/ADMIN_EMAIL is not set/);
    const email = { ...ENV, ADMIN_EMAIL: 'admin@example.com' };
    expect(() => loadSetupConfig({ ...email, SETUP_STATE_FILE: '/state' })).toThrow(
      /ADMIN_PASSWORD is not set/,
    );
    expect(loadSetupConfig({ ...ENV, SETUP_STATE_FILE: '/state' }).admin).toBeUndefined();
    expect(loadSetupConfig({ ...email, ADMIN_PASSWORD: 'correct horse' })).toMatchObject({
      admin: { email: 'admin@example.com', password: 'correct horse' },
      stateFile: undefined,
    });
  });
});

function catchError(run: () => unknown): Error {
  try {
    run();
  } catch (error) {
    return error as Error;
  }
  throw new Error('Nothing was thrown');
}
