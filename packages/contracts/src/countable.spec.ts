import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { countableCost, countableOperation, countableRequestId, countableSubject } from './countable.js';

const hashOf = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`;
const long = 'ü'.repeat(1025);

it.each<[string, Record<string, unknown>, Record<string, string>]>([
  ['an overlong value by its SHA-256', { user: long }, { user: hashOf(long) }],
  ['empty values together', { user: '' }, { user: '(empty)' }],
  ['a number as text', { user: 42, ok: true }, { user: '42', ok: 'true' }],
  ['an address without its port', { ip: '198.51.100.1:4711' }, { ip: '198.51.100.1' }],
  ['an address in its canonical form', { ip: '[2001:DB8::01]' }, { ip: '2001:db8::1' }],
  ['a request without an address if it is not one', { ip: 'unknown', user: 'u1' }, { user: 'u1' }],
  ['no value that is absent', { user: undefined, device: null, key: 'k' }, { key: 'k' }],
])('counts %s', (_, subject, countable) => {
  expect(countableSubject(subject)).toEqual(countable);
});

it('returns a subject that needs no change, and counts a dimension named like a property of objects', () => {
  const subject = { user: 'u1', ip: '2001:db8::1' };
  expect(countableSubject(subject)).toBe(subject);
  const hostile = JSON.parse('{"__proto__": "", "user": ""}');
  expect(Object.keys(countableSubject(hostile))).toEqual(['__proto__', 'user']);
});

it.each([
  ['createURL', 'createURL'],
  ['_x', 'unnamed'],
  ['', 'unnamed'],
  [undefined, 'unnamed'],
  ['x'.repeat(64), 'x'.repeat(64)],
  ['x'.repeat(65), 'unnamed'],
])('an operation named %j counts as %j', (name, counted) => {
  expect(countableOperation(name)).toBe(counted);
});

it.each([
  [1, 1],
  [0, 1],
  [-5, 1],
  [2.1, 3],
  [Number.NaN, Number.NaN],
  [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
])('a cost of %d counts as %d', (cost, counted) => {
  expect(countableCost(cost)).toBe(counted);
});

it('an invalid request id becomes its hash, and each retry has the same one', () => {
  expect(countableRequestId('r-1')).toBe('r-1');
  for (const id of ['', 'a b', 'x'.repeat(129), 'ü']) expect(countableRequestId(id)).toBe(hashOf(id));
});
