import { describe, expect, it } from 'vitest';
import { SNIPPETS, snippetOf } from './snippets.js';

const FACTS = {
  decisionUrl: 'https://limits.example',
  key: 'tgk_live_abc',
  api: 'url-shortener',
  operation: 'createURL',
};

describe('an example', () => {
  it('reads the own limits with the own key in cURL', () => {
    expect(snippetOf('curl', FACTS)).toBe(
      "curl 'https://limits.example/v1/limits?api=url-shortener' \\\n  -H 'Authorization: Bearer tgk_live_abc'",
    );
  });

  it.each(['node', 'sdk', 'nginx'] as const)('contains the key in %s', (name) => {
    expect(snippetOf(name, FACTS)).toContain('tgk_live_abc');
  });

  it('reads the caller’s key in Express and contains none', () => {
    const text = snippetOf('express', FACTS);
    expect(text).toContain("api: 'url-shortener'");
    expect(text).not.toContain('tgk_live_abc');
  });

  it.each(SNIPPETS)('contains the API and no placeholder of another language in %s', (name) => {
    const text = snippetOf(name, FACTS);
    expect(text).toMatch(/url-shortener|URL_SHORTENER/);
    expect(text).not.toContain('undefined');
  });

  it('derives a valid function name from any operation', () => {
    expect(snippetOf('node', { ...FACTS, operation: 'GET /v1/links' })).toContain('function GETV1Links(');
    expect(snippetOf('node', { ...FACTS, operation: '2fa.check' })).toContain('function call2faCheck(');
    expect(snippetOf('sdk', { ...FACTS, operation: '2fa.check' })).toContain('const call2faCheck =');
  });
});
