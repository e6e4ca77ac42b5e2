import { hash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildTree, HASH_BYTES, rootOf } from './policy-seal.js';

const sha256 = (...parts: Buffer[]) => hash('sha256', Buffer.concat(parts), 'buffer');
const leaf = (text: string) => sha256(Buffer.of(0), Buffer.from(text));
const node = (left: Buffer, right: Buffer) => sha256(Buffer.of(1), left, right);
const texts = fc.array(fc.string({ maxLength: 40 }), { minLength: 1, maxLength: 40 });

describe('a tree over texts', () => {
  it('is the leaf of a single text, with an empty path', () => {
    expect(buildTree(['a'])).toEqual({ root: leaf('a'), proofs: [{ index: 0, path: [] }] });
  });

  it('pairs the last node of an odd level with itself', () => {
    const [a, b, c] = [leaf('a'), leaf('b'), leaf('c')];
    const { root, proofs } = buildTree(['a', 'b', 'c']);
    expect(root).toEqual(node(node(a, b), node(c, c)));
    expect(proofs[1]).toEqual({ index: 1, path: [a, node(c, c)] });
    expect(proofs[2]).toEqual({ index: 2, path: [c, node(a, b)] });
  });

  it('proves every text with one hash per level', () => {
    fc.assert(
      fc.property(texts, (all) => {
        const { root, proofs } = buildTree(all);
        for (const [i, proof] of proofs.entries()) {
          expect(rootOf(all[i] as string, proof)).toEqual(root);
          expect(proof.path).toHaveLength(Math.ceil(Math.log2(all.length)));
          expect(proof.path.every(({ length }) => length === HASH_BYTES)).toBe(true);
        }
      }),
    );
  });

  it('does not prove another text, another index or a changed path', () => {
    fc.assert(
      fc.property(texts, fc.nat(), fc.nat(), (all, which, bit) => {
        const { root, proofs } = buildTree(all);
        const i = which % all.length;
        const [text, proof] = [all[i] as string, proofs[i] as (typeof proofs)[number]];
        expect(rootOf(`${text}!`, proof)).not.toEqual(root);
        if (proof.path.length === 0) return;
        const path = proof.path.map((step) => Buffer.from(step));
        const changed = path[bit % path.length] as Buffer;
        changed[bit % HASH_BYTES] = (changed[bit % HASH_BYTES] ?? 0) ^ 1;
        expect(rootOf(text, { ...proof, path })).not.toEqual(root);
      }),
    );
  });

  it('does not accept a node as a leaf', () => {
    const { root } = buildTree(['a', 'b']);
    const forged = Buffer.concat([leaf('a'), leaf('b')]).toString('latin1');
    expect(rootOf(forged, { index: 0, path: [] })).not.toEqual(root);
  });
});
