import { expect, it } from 'vitest';
import { kindOfQuery } from './search-everything.js';

it.each([
  ['ten_01908f3a7b6c7d8e9f00112233445566', 'id'],
  ['req_01908f3a7b6c7d8e9f00112233445566', 'why'],
  ['tgk_live_Abc123', 'why'],
  ['acme', 'words'],
  ['ten_short', 'words'],
])('%s is taken for %s', (text, kind) => expect(kindOfQuery(text)).toBe(kind));
