import { describe, expect, it } from 'vitest';
import { ConfigError, loadConfig, loadSetupConfig } from './app-config.js';

const ENV = {
  DATABASE_URL: 'postgresql://user:secret@db/tollgate',
  REDIS_CONFIG_URL: 'redis://redis:6379',
  SESSION_SECRET: 'x'.repeat(32),
  TOKEN_PEPPER: 'y'.repeat(32),
};

describe('loadConfig', () => {
  it('fills in what may be left out', () => {
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

  it('asks for the state file only where it is used', () => {
    expect(() => loadSetupConfig(ENV)).toThrow(/SETUP_STATE_FILE is not set/);
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
