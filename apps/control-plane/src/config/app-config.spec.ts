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
