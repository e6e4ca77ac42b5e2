import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { brokenPromises, findLastRelease, findUnacceptedBreaks } from './schema-contract.js';

const TODAY = '2026-11-21';
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

it('schema.graphql breaks no caller of the last release', () => {
  const accepted = JSON.parse(readFileSync(new URL('../schema.accepted.json', import.meta.url), 'utf8'));
  // To fix: keep the old part, deprecated, with "Kept until YYYY-MM-DD." in the reason; remove it after that day.
  const today = new Date().toISOString().slice(0, 10);
  expect(findUnacceptedBreaks(ROOT, accepted, today)).toEqual([]);
});

describe('the last release', () => {
  let root: string;
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], { cwd: root });
  const write = (schema: string) => writeFileSync(`${root}/apps/control-plane/schema.graphql`, schema);
  const commit = (schema: string) => {
    write(schema);
    git('add', '-A');
    git('commit', '-q', '-m', 'schema');
  };

  beforeEach(() => {
    root = mkdtempSync(path.join(tmpdir(), 'schema-'));
    mkdirSync(`${root}/apps/control-plane`, { recursive: true });
    git('init', '-q');
    commit('type Query { a: Int b: Int }');
  });
  afterEach(() => rmSync(root, { recursive: true }));

  it('is undefined without a version tag: nothing is promised yet', () => {
    git('tag', 'other');
    expect(findLastRelease(root)).toBeUndefined();
    write('type Query { c: Int }');
    expect(findUnacceptedBreaks(root, [], TODAY)).toEqual([]);
  });

  it('is the schema at the nearest version tag', () => {
    git('tag', 'v0.1.0');
    commit('type Query { a: Int b: Int c: Int }');
    git('tag', 'v0.2.0');
    commit('type Query { a: Int b: Int }');
    expect(findLastRelease(root)).toEqual({ tag: 'v0.2.0', schema: 'type Query { a: Int b: Int c: Int }' });
    expect(findUnacceptedBreaks(root, [], TODAY)).toEqual(['Query.c was removed.']);
  });

  it('may be broken by a change accepted for that release only', () => {
    git('tag', 'v0.1.0');
    write('type Query { a: Int }');
    const accepted = (since: string) => [{ since, change: 'Query.b was removed.', reason: 'unused' }];
    expect(findUnacceptedBreaks(root, accepted('v0.1.0'), TODAY)).toEqual([]);
    expect(findUnacceptedBreaks(root, accepted('v0.0.9'), TODAY)).toEqual(['Query.b was removed.']);
  });
});

describe('brokenPromises', () => {
  const OVER = '@deprecated(reason: "Use b. Kept until 2026-11-20.")';
  const OPEN = '@deprecated(reason: "Use b. Kept until 2026-12-24.")';
  const schema = (field: string, more = '') =>
    `type Query { ${field} b(x: Int, y: Int): E c: T } enum E { ONE TWO } type T { id: ID } input I { p: Int } ${more}`;
  const all = schema('a: String');

  it.each([
    ['adding a field', all, schema('a: String n: Int')],
    ['adding an optional argument', all, all.replace('y: Int', 'y: Int z: Int')],
    ['removing a field whose "Kept until" day has passed', schema(`a: String ${OVER}`), schema('')],
    [
      'removing an argument whose "Kept until" day has passed',
      all.replace('y: Int', `y: Int ${OVER}`),
      all.replace(', y: Int', ''),
    ],
    [
      'removing an enum value whose "Kept until" day has passed',
      all.replace('TWO', `TWO ${OVER}`),
      all.replace('TWO', ''),
    ],
    [
      'removing a type that only such a field used',
      all.replace('c: T', `c: T ${OVER}`),
      all.replace('c: T', '').replace('type T { id: ID }', ''),
    ],
  ])('allows %s', (_name, before, after) => {
    expect(brokenPromises(before, after, TODAY)).toEqual([]);
  });

  it.each([
    ['removing a field', all, schema(''), 'Query.a was removed.'],
    [
      'removing a field before its "Kept until" day',
      schema(`a: String ${OPEN}`),
      schema(''),
      'Query.a was removed.',
    ],
    [
      'removing a deprecated field without a "Kept until" day',
      schema('a: String @deprecated(reason: "Use b.")'),
      schema(''),
      'Query.a was removed.',
    ],
    ['changing a type', all, schema('a: Int'), 'Query.a changed type from String to Int.'],
    [
      'making an argument required',
      all,
      all.replace('y: Int', 'y: Int!'),
      'Query.b arg y has changed type from Int to Int!.',
    ],
    [
      'adding a required input field',
      all,
      all.replace('p: Int', 'p: Int q: Int!'),
      'A required field q on input type I was added.',
    ],
    ['removing an enum value', all, all.replace('TWO', ''), 'TWO was removed from enum type E.'],
  ])('reports %s', (_name, before, after, broken) => {
    expect(brokenPromises(before, after, TODAY)).toContain(broken);
  });
});
