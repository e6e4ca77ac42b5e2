import { TollgateError } from '@tollgate/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rejectDuplicateFields } from './request-body.js';

function duplicateIn(text: string): string | undefined {
  try {
    rejectDuplicateFields(text, JSON.parse(text));
    return undefined;
  } catch (error) {
    return error instanceof TollgateError ? error.errors?.[0]?.field : 'another error';
  }
}

describe('duplicate field detection', () => {
  it.each([
    ['{"a":1,"a":1}', 'a'],
    ['{"a":{"b":1,"c":[{"b":1},{"d":1,"d" :2}]}}', 'd'],
    ['{"a":1,"\\u0061":2}', 'a'],
    ['{"a\\"":1,"b":"\\\\","a\\"":2}', 'a"'],
    ['[{"x":null,\n"x"\t:null}]', 'x'],
    ['{"a":{},"b":[{"c":1}],"a":{}}', 'a'],
    [`{${Array.from({ length: 40 }, (_, n) => `"f${n}":0`).join()},"f3":1}`, 'f3'],
  ])('is named: %s', (text, field) => {
    expect(duplicateIn(text)).toBe(field);
  });

  it.each(['{}', '[]', '"a:b"', 'null', '{"a":"\\"a\\":1","b":["a",":","\\\\"]}', '{"a":{"a":{"a":[]}}}'])(
    'finds no duplicate in %s',
    (text) => {
      expect(duplicateIn(text)).toBeUndefined();
    },
  );

  it('is seen below more levels than the call stack has', () => {
    const nested = (inner: string) => '['.repeat(100_000) + inner + ']'.repeat(100_000);
    expect(duplicateIn(nested('{"a":1,"a":1}'))).toBe('a');
    expect(duplicateIn(nested('{"a":1}'))).toBeUndefined();
  });

  it('is seen wherever a field of a random value is written twice', () => {
    const fields = fc.array(fc.tuple(fc.string({ maxLength: 3 }), fc.json({ maxDepth: 1 })), {
      maxLength: 40,
    });
    fc.assert(
      fc.property(fields, (written) => {
        const text = `{${written.map(([name, json]) => `${JSON.stringify(name)}:${JSON.stringify(JSON.parse(json))}`).join()}}`;
        const isDuplicate = new Set(written.map(([name]) => name)).size < written.length;
        expect(duplicateIn(text) !== undefined).toBe(isDuplicate);
      }),
    );
  });

  it('is not seen in anything that is written from a value', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 3 }), (text) => {
        // fc.json may repeat keys; parsing and writing again removes duplicates.
        const value: unknown = JSON.parse(text);
        expect(duplicateIn(JSON.stringify(value))).toBeUndefined();
        expect(duplicateIn(JSON.stringify(value, null, 1))).toBeUndefined();
      }),
      { numRuns: 50 },
    );
  });
});
