import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  allowInsecureSchema,
  findEqualSecrets,
  isLoopbackHost,
  secretWeakness,
  splitInsecurities,
} from './insecure-settings.js';

describe('secretWeakness', () => {
  it.each([
    ['31 characters', 'Zk3vQ9xT1mB7cW5nL8pR2sD6fG4hJ0y', /fewer than 32/],
    ['one character', 'a'.repeat(64), /different characters/],
    ['two characters', 'ab'.repeat(32), /different characters/],
    ['a repeated word', 'kT9x2mQv'.repeat(4), /repeats/],
    ['a repetition that is cut off', 'kT9x2mQvLp3'.repeat(4).slice(0, 40), /repeats/],
    ['the alphabet', 'ghijklmnopqrstuvwxyzGHIJKLMNOPQRSTUVWXYZ', /sequence/],
    ['doubled letters', 'aabbccddeeffgghhiijjkkllmmnnooppqq', /sequence/],
    ['a placeholder', 'CHANGE_ME_9f8e7d6c5b4a39281706f5e4d3', /example/],
    ['a name', 'my-tollgate-key-for-the-production-server', /example/],
  ])('refuses %s', (_title, secret, message) => {
    expect(secretWeakness(secret)).toMatch(message);
  });

  it.each(['hex', 'base64', 'base64url'] as const)('accepts random bytes as %s', (encoding) => {
    const weak = Array.from({ length: 2000 }, (_, i) =>
      secretWeakness(hash('sha256', `${i}`, 'buffer').toString(encoding)),
    );
    expect(weak.filter((reason) => reason !== undefined)).toEqual([]);
  });
});

describe('isLoopbackHost', () => {
  it.each(['localhost', 'LOCALHOST', 'tollgate.localhost', '127.0.0.1', '127.9.8.7', '[::1]', '::1'])(
    'is true for %s',
    (host) => expect(isLoopbackHost(host)).toBe(true),
  );

  it.each([
    '0.0.0.0',
    '::',
    '10.0.0.1',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    'notlocalhost',
    '128.0.0.1',
  ])('is false for %s', (host) => expect(isLoopbackHost(host)).toBe(false));
});

describe('ALLOW_INSECURE', () => {
  it('reads names separated by commas', () => {
    expect(allowInsecureSchema.parse('weak-secrets, plain-http')).toEqual(
      new Set(['weak-secrets', 'plain-http']),
    );
  });

  it.each(['all', 'weak-secrets,', 'weak_secrets', 'weak-secrets;plain-http'])('refuses %j', (text) => {
    expect(allowInsecureSchema.safeParse(text).success).toBe(false);
  });

  it('accepts exactly the settings that it names', () => {
    const found = [
      { setting: 'weak-secrets', problem: 'A is weak' },
      { setting: 'plain-http', problem: 'B is http' },
    ] as const;
    expect(splitInsecurities(found, new Set(['weak-secrets']))).toEqual({
      problems: ['B is http (ALLOW_INSECURE=plain-http accepts this)'],
      accepted: [found[0]],
    });
  });
});

it('names every pair of equal secrets', () => {
  const secrets = [
    ['A', 'one'],
    ['B', 'two'],
    ['C', 'one'],
    ['D', 'one'],
  ] as const;
  expect(findEqualSecrets(secrets)).toEqual(['A and C', 'A and D', 'C and D']);
});
