import { describe, expect, it } from 'vitest';
import { readConfig } from './app-config.js';

const complete = {
  REDIS_COUNTERS_URL: 'redis://127.0.0.1:6379',
  REDIS_CONFIG_URL: 'redis://:hunter2@127.0.0.1:6380/1',
  TOKEN_PEPPER: 'x'.repeat(32),
  DATA_DIR: '/data',
};

describe('the environment', () => {
  it('needs four variables; the others have defaults', () => {
    expect(readConfig(complete)).toMatchObject({
      port: 4010,
      deadlineMs: 25,
      nodeId: expect.stringMatching(/-\d+$/),
    });
  });

  it('reports all problems together, by name and never by value', () => {
    const broken = {
      ...complete,
      REDIS_CONFIG_URL: 'http://hunter2',
      TOKEN_PEPPER: 'hunter2',
      PORT: 'hunter2',
    };
    expect(() => readConfig(broken)).toThrow(/PORT: [\s\S]*REDIS_CONFIG_URL: [\s\S]*TOKEN_PEPPER: /);
    expect(() => readConfig(broken)).not.toThrow(/hunter2/);
  });
});
