import { describe, expect, it } from 'vitest';
import { Seal } from './idempotency-keys.js';
import { hashBody, hashKey, parseIdempotencyKey } from './idempotent-request.js';

describe('the key in a header', () => {
  it.each([
    ['8e03978e-40d5', '8e03978e-40d5'],
    ['"8e03978e-40d5"', '8e03978e-40d5'],
    [' padded ', 'padded'],
    ['a:b/c=', 'a:b/c='],
    ['', undefined],
    ['""', undefined],
    ['"', undefined],
    ['two words', undefined],
    ['with"quote', undefined],
    ['x'.repeat(256), undefined],
    ['line\nbreak', undefined],
  ])('%j is %j', (header, key) => {
    expect(parseIdempotencyKey(header)).toBe(key);
  });

  it('of two actors are two keys', () => {
    const hash = (actorId: string, key: string) => hashKey({ actorId, key }).toString('hex');
    expect(hash('usr_1', 'a')).not.toBe(hash('usr_2', 'a'));
    expect(hash('usr_1', 'a')).not.toBe(hash('usr_', '1a'));
  });
});

describe('two requests are the same', () => {
  const query = 'mutation($a: X, $b: X) { c(a: $a, b: $b) { d } }';
  it('independent of the order of names in variables', () => {
    const one = hashBody({ query, variables: { a: 1, b: { c: [1, { d: 2, e: 3 }] } } });
    const two = hashBody({ query, variables: { b: { c: [1, { e: 3, d: 2 }] }, a: 1 } });
    expect(one.equals(two)).toBe(true);
  });

  it.each([
    [{ query, variables: { a: 2, b: 1 } }],
    [{ query, variables: { a: 1 } }],
    [{ query, variables: { a: [1], b: 1 } }],
    [{ query, variables: { a: [['x', 1]] } }],
    [{ query: `${query} `, variables: { a: 1, b: 1 } }],
    [{ query, variables: { a: 1, b: 1 }, operationName: 'x' }],
  ])('but not %j', (other) => {
    expect(hashBody(other).equals(hashBody({ query, variables: { a: 1, b: 1 } }))).toBe(false);
    expect(hashBody(other).equals(hashBody({ query, variables: { a: { x: 1 } } }))).toBe(false);
  });
});

describe('a seal', () => {
  const request = { actorId: 'usr_1', key: 'key' };
  const value = { at: new Date(0), count: 2n ** 60n, nothing: undefined, list: [null, 'é'] };

  it('opens a sealed value unchanged', () => {
    const seal = new Seal('pepper', request);
    expect(seal.open('answer', seal.close('answer', value))).toEqual(value);
  });

  it('opens for no other key, pepper, actor or step, and not when a bit differs', () => {
    const seal = new Seal('pepper', request);
    const closed = seal.close('answer', value);
    const unreadable = /cannot be read/;
    expect(() => new Seal('pepper', { ...request, key: 'other' }).open('answer', closed)).toThrow(unreadable);
    expect(() => new Seal('pepper', { ...request, actorId: 'usr_2' }).open('answer', closed)).toThrow(
      unreadable,
    );
    expect(() => new Seal('other', request).open('answer', closed)).toThrow(unreadable);
    expect(() => seal.open('apply#0', closed)).toThrow(unreadable);
    const altered = Uint8Array.from(closed, (byte, i) => (i === 30 ? byte ^ 1 : byte));
    expect(() => seal.open('answer', altered)).toThrow(unreadable);
  });
});
