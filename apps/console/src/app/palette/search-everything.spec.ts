import { expect, it } from 'vitest';
import { kindOfQuery } from './search-everything.js';
import { readVerb, VERBS } from './verbs.js';

it.each([
  ['ten_01908f3a7b6c7d8e9f00112233445566', 'id'],
  ['req_01908f3a7b6c7d8e9f00112233445566', 'why'],
  ['tgk_live_Abc123', 'why'],
  ['acme', 'words'],
  ['ten_short', 'words'],
])('%s is taken for %s', (text, kind) => expect(kindOfQuery(text)).toBe(kind));

it.each([
  ['boost acme', 'boost', 'acme'],
  ['Suspend  Planet Express', 'suspend', 'Planet Express'],
  ['publish ', 'publish', ''],
  ['boost', undefined, undefined],
  ['boosting acme', undefined, undefined],
])('reads the verb of “%s”', (text, name, rest) => {
  const read = readVerb(text, VERBS);
  expect([read?.verb.name, read?.rest]).toEqual([name, rest]);
});
