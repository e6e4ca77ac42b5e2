import {
  assertLimitRequest,
  type LimitRequest,
  limitRequestSchema,
  parseBody,
  settleRequestSchema,
  TollgateError,
} from '@tollgate/contracts';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { mutated } from '../../policy/test/json-mutations.js';

const REQUEST: LimitRequest = {
  tenant: 'acme',
  api: 'url-shortener',
  operation: 'createURL',
  subject: { user: 'u1', ip: '203.0.113.9' },
  cost: 2,
  requestId: 'r-1',
};

/** The fields that are refused; none when nothing is. */
function refused(check: () => unknown): string[] {
  try {
    check();
    return [];
  } catch (error) {
    if (!(error instanceof TollgateError) || error.code !== 'body-invalid') throw error;
    return [...new Set((error.errors ?? []).map(({ field }) => field))];
  }
}

it.each<[string, object, string[]]>([
  ['nothing odd', {}, []],
  ['the least that is needed', { subject: undefined, cost: undefined, requestId: undefined }, []],
  ...[Number.NaN, Number.POSITIVE_INFINITY, -1, 0, 1.5, 2 ** 53, 1e308, '1', true, null, {}].map(
    (cost): [string, object, string[]] => [`a cost of ${cost} (${typeof cost})`, { cost }, ['cost']],
  ),
  ['an identifier of 1 MB', { subject: { user: 'x'.repeat(1_000_000) } }, ['subject.user']],
  ['an identifier that is a number', { subject: { user: 5 } }, ['subject.user']],
  ['an empty identifier', { subject: { user: '' } }, ['subject.user']],
  [
    'lone surrogates, NUL and braces: they are hashed',
    { subject: { a: '\ud800', b: '\u0000', c: '{}' } },
    [],
  ],
  ['a subject that is none', { subject: 5 }, ['subject']],
  ['a request id of 1 MB', { requestId: 'x'.repeat(1_000_000) }, ['requestId']],
  ['a request id that is a number', { requestId: 7 }, ['requestId']],
  ['a request id with a line break', { requestId: 'a\nb' }, ['requestId']],
])('%s', (_what, over, fields) => {
  expect(refused(() => assertLimitRequest({ ...REQUEST, ...over } as LimitRequest))).toEqual(fields);
});

it('accepts a changed request only with a cost, an id and identifiers that the schema accepts', () => {
  fc.assert(
    fc.property(mutated(REQUEST), (input) => {
      const fields = refused(() => assertLimitRequest(input as LimitRequest));
      const issues = limitRequestSchema.safeParse(input).error?.issues ?? [];
      if (fields.length > 0) {
        expect(issues).not.toEqual([]);
        return;
      }
      const paths = issues.map(({ path }) => String(path[0]));
      expect(paths).not.toContain('cost');
      expect(paths).not.toContain('requestId');
    }),
    { numRuns: 2000 },
  );
});

it('other bodies are refused by their schema', () => {
  const body = { tenant: 'acme', requestId: 'r-1', cost: Number.NaN };
  expect(refused(() => parseBody(settleRequestSchema, body))).toEqual(['cost']);
  expect(refused(() => parseBody(settleRequestSchema, { ...body, cost: 0 }))).toEqual([]);
});
