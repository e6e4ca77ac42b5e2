import { newSigningKey, publicKeyOf } from '@tollgate/policy';
import { describe, expect, it } from 'vitest';
import { readConfig } from './app-config.js';

const KEYS = [publicKeyOf(newSigningKey()), publicKeyOf(newSigningKey())];

const complete = {
  REDIS_COUNTERS_URL: 'redis://127.0.0.1:6379',
  REDIS_CONFIG_URL: 'redis://:hunter2@127.0.0.1:6380/1',
  TOKEN_PEPPER: 'x'.repeat(32),
  POLICY_PUBLIC_KEYS: KEYS.join(','),
  DATA_DIR: '/data',
};

describe('the environment', () => {
  it('needs five variables; the others have defaults', () => {
    expect(readConfig(complete)).toMatchObject({
      port: 4010,
      deadlineMs: 25,
      samples: { allowed: 50, denied: 100 },
      recordTraffic: true,
      policyKeys: KEYS,
      maxStaleMs: 86_400_000,
      onStale: 'keep',
      nodeId: expect.stringMatching(/-\d+$/),
    });
  });

  it('reports all problems at once, with variable names and without values', () => {
    const broken = {
      ...complete,
      REDIS_CONFIG_URL: 'http://hunter2',
      TOKEN_PEPPER: 'hunter2',
      PORT: 'hunter2',
    };
    expect(() => readConfig(broken)).toThrow(/PORT: [\s\S]*REDIS_CONFIG_URL: [\s\S]*TOKEN_PEPPER: /);
    expect(() => readConfig(broken)).not.toThrow(/hunter2/);
  });

  it.each(['1.000', '1,000', '1e3', '0x10', '-1', 'five'])('reads no number of a setting from %s', (text) => {
    expect(() => readConfig({ ...complete, MAX_IN_FLIGHT: text })).toThrow(
      /MAX_IN_FLIGHT: must be a whole number from \d+ to \d+, in digits only/,
    );
  });

  it.each([
    ['no key at all', { POLICY_PUBLIC_KEYS: undefined }, /POLICY_PUBLIC_KEYS is not set .*unsigned-policy/],
    ['a weak pepper', { HOST: '0.0.0.0' }, /TOKEN_PEPPER has fewer than 8 different .*weak-secrets/],
    [
      'an older pepper that is the newest one',
      { HOST: '0.0.0.0', TOKEN_PEPPER_VERSION: '2', TOKEN_PEPPERS_OLD: `1:${complete.TOKEN_PEPPER}` },
      /TOKEN_PEPPER and TOKEN_PEPPERS_OLD are equal .*shared-secrets/,
    ],
    [
      'an unknown name in ALLOW_INSECURE',
      { ALLOW_INSECURE: 'unsigned' },
      /must be names from weak-secrets, /,
    ],
    [
      'a private key in its longer form',
      { POLICY_PUBLIC_KEYS: 'MC4CAQAwBQYDK2VwBCIEIA' },
      /must be Ed25519 public keys \(32 bytes, base64url\)/,
    ],
    [
      'one invalid key of two',
      { POLICY_PUBLIC_KEYS: `${KEYS[0]},` },
      /must be Ed25519 public keys \(32 bytes, base64url\)/,
    ],
  ])('does not start with %s', (_name, over, message) => {
    expect(() => readConfig({ ...complete, ...over })).toThrow(message);
  });

  it('a certificate without its key, or a client CA without both, ends the start', () => {
    const files = { RLS_TLS_CERT_FILE: 'cert.pem', RLS_TLS_KEY_FILE: 'key.pem' };
    expect(readConfig({ ...complete, ...files }).rlsTls).toMatchObject({ cert: 'cert.pem', key: 'key.pem' });
    expect(readConfig(complete).rlsTls).toBeUndefined();
    for (const [given, missing] of [
      [{ RLS_TLS_CERT_FILE: 'cert.pem' }, /RLS_TLS_KEY_FILE: is needed/],
      [{ RLS_TLS_KEY_FILE: 'key.pem' }, /RLS_TLS_CERT_FILE: is needed/],
      [{ RLS_TLS_CLIENT_CA_FILE: 'ca.pem' }, /RLS_TLS_CERT_FILE: [\s\S]*RLS_TLS_KEY_FILE: /],
    ] as const) {
      expect(() => readConfig({ ...complete, ...given })).toThrow(missing);
    }
  });

  it('accepts unsigned policy and weak secrets only where ALLOW_INSECURE names them', () => {
    const insecure = { ...complete, POLICY_PUBLIC_KEYS: undefined, HOST: '0.0.0.0' };
    expect(() => readConfig({ ...insecure, ALLOW_INSECURE: 'weak-secrets' })).toThrow(/POLICY_PUBLIC_KEYS/);
    expect(readConfig({ ...insecure, ALLOW_INSECURE: 'weak-secrets,unsigned-policy' })).toMatchObject({
      policyKeys: 'unsigned',
      acceptedInsecurities: [{ setting: 'unsigned-policy' }, { setting: 'weak-secrets' }],
    });
    expect(readConfig(complete).acceptedInsecurities).toEqual([]);
  });
});
