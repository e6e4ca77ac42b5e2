import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { hashToken, issueToken, parseToken, tokenMatches } from './service-token.js';

const VECTOR = 'tgk_live_K7f2Qm9ZpX1c0123456789abcdefghijklmnopqrstuv4bS881';

describe('service token', () => {
  it('reads the published test vector', () => {
    expect(parseToken(VECTOR)).toEqual({ kind: 'tgk', mode: 'live', publicId: 'K7f2Qm9ZpX1c' });
    expect(createHash('sha256').update(VECTOR).digest('hex')).toBe(
      'c93ee40a90a7dd085c489672749d06eaa68fa2b4a4d53c383253378fff124599',
    );
  });

  it('refuses a token with any one character changed, without a look-up', () => {
    for (let i = 0; i < VECTOR.length; i++) {
      const changed = `${VECTOR.slice(0, i)}${VECTOR[i] === 'x' ? 'y' : 'x'}${VECTOR.slice(i + 1)}`;
      expect(parseToken(changed), changed).toBeUndefined();
    }
  });

  it('issues tokens that parse and match only their own hash', () => {
    const issued = issueToken('tga', 'live');
    expect(issued.token).toHaveLength(59);
    expect(parseToken(issued.token)).toEqual({ kind: 'tga', mode: 'live', publicId: issued.publicId });
    const stored = hashToken(issued.token, 'pepper');
    expect(tokenMatches(issued.token, 'pepper', stored)).toBe(true);
    expect(tokenMatches(issued.token, 'other pepper', stored)).toBe(false);
    expect(tokenMatches(issueToken('tga', 'live').token, 'pepper', stored)).toBe(false);
  });
});
