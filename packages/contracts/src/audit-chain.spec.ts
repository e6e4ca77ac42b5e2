import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  AUDIT_CHAIN_VERSION,
  auditHash,
  CHAIN_START,
  type ChainedEntry,
  canonicalJson,
  findChainProblem,
} from './audit-chain.js';
import { HeadSigner, headIsSignedBy } from './audit-head.js';

function entryAfter(position: { sequence: number; hash: string }, more: Partial<ChainedEntry> = {}) {
  const facts = {
    chain: 'acme',
    sequence: position.sequence + 1,
    version: AUDIT_CHAIN_VERSION,
    previousHash: position.hash,
    id: `evt_${position.sequence}`,
    at: '2026-11-21T10:00:00.000Z',
    actorKind: 'USER',
    actorId: 'usr_1',
    actor: 'a@example.com',
    action: 'tenant.update',
    entity: 'Tenant',
    entityId: 'ten_1',
    tenantId: 'ten_1',
    tenantKey: 'acme',
    before: { name: 'A' },
    after: { name: 'B' },
    reason: null,
    requestId: 'req_1',
    changeId: 'chg_1',
    address: '127.0.0.1',
    userAgent: null,
    entityName: 'Acme',
    entityKey: null,
    revertedName: null,
    ...more,
  };
  return { ...facts, hash: auditHash(facts) };
}

/** The same value, the members of its objects in reverse. */
function backwards(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(backwards);
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, backwards(member)]),
  );
}

describe('the canonical form', () => {
  it('does not depend on key order and omits undefined members', () => {
    expect(canonicalJson({ b: [1, { d: null, c: 'é"\n' }], a: true, gone: undefined })).toBe(
      '{"a":true,"b":[1,{"c":"é\\"\\n","d":null}]}',
    );
    expect(canonicalJson({ x: 1, y: 2 })).toBe(canonicalJson({ y: 2, x: 1 }));
  });

  it('orders keys by UTF-16 code units, including integer-like keys', () => {
    const value = JSON.parse('{"b":1,"10":2,"9":{"__proto__":[3]},"-":4,"":5,"é":6}');
    expect(canonicalJson(value)).toBe('{"":5,"-":4,"10":2,"9":{"__proto__":[3]},"b":1,"é":6}');
  });

  it('represents the whole value, independent of key order', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonicalJson(value);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(canonicalJson(backwards(value))).toBe(text);
      }),
    );
  });

  it('distinguishes values of different types', () => {
    const texts = [null, 'null', 0, '0', false, [], {}, [null], ''].map(canonicalJson);
    expect(new Set(texts).size).toBe(texts.length);
  });
});

describe('a chain', () => {
  const first = entryAfter(CHAIN_START);
  const second = entryAfter(first);

  it('accepts only the entry that was written next', () => {
    expect(findChainProblem(CHAIN_START, first)).toBeUndefined();
    expect(findChainProblem(first, second)).toBeUndefined();
    expect(findChainProblem(CHAIN_START, second)).toBe('gap');
    expect(findChainProblem({ ...first, hash: 'f'.repeat(64) }, second)).toBe('link');
    expect(findChainProblem(first, { ...second, version: 9 })).toBe('version');
  });

  it('covers every fact of an entry', () => {
    const facts = Object.keys(first).filter(
      (fact) => !['hash', 'sequence', 'previousHash', 'version'].includes(fact),
    );
    for (const fact of facts) {
      expect(findChainProblem(CHAIN_START, { ...first, [fact]: 'changed' }), fact).toBe('content');
    }
  });
});

describe('a signed head', () => {
  const signer = new HeadSigner('a secret of at least thirty-two characters');
  const head = signer.sign({
    chain: 'acme',
    sequence: 7,
    hash: 'a'.repeat(64),
    at: '2026-11-21T10:00:00.000Z',
  });

  it('verifies a signed head with the public key', () => {
    expect(signer.verify(head)).toBe(true);
    expect(headIsSignedBy(signer.publicKey, head)).toBe(true);
    expect(new HeadSigner('a secret of at least thirty-two characters').keyId).toBe(signer.keyId);
  });

  it('is no good once anything of it is changed, or under another key', () => {
    for (const change of [
      { sequence: 6 },
      { hash: 'b'.repeat(64) },
      { chain: 'other' },
      { at: '2027-01-01T00:00:00.000Z' },
    ]) {
      expect(signer.verify({ ...head, ...change })).toBe(false);
    }
    expect(new HeadSigner('another secret of thirty-two characters').verify(head)).toBe(false);
  });
});
