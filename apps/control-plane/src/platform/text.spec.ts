import { describe, expect, it } from 'vitest';
import { withoutLinks } from './text.js';

describe('a text without links', () => {
  it.each([
    'evil.com',
    'Win at https://evil.com/x?y=1',
    'evil。com',
    'a.b.evil.com/@x',
    'x:evil.com',
    'WWW.EVIL.COM',
  ])('separates the parts of %s, and changes nothing else', (text) => {
    const plain = withoutLinks(text);
    expect(plain).not.toMatch(/:\/\/|[.。]\p{L}/u);
    expect(plain.replaceAll('\u200b', '')).toBe(text);
  });

  it.each([
    'Acme Inc.',
    'St. John & Sons',
    'ada@example.com',
    '1.5',
    'HK$1,049.00',
    'at 10:30, e. g. today',
    '',
  ])('is %j itself if it has none', (text) => {
    expect(withoutLinks(text)).toBe(text);
  });
});
