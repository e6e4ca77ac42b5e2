import { hash } from 'node:crypto';

/** Leaves and nodes are hashed with different prefixes, so that a node cannot be presented as a leaf. */
const LEAF = Buffer.of(0);
const NODE = Buffer.of(1);

/** Bytes of one hash. */
export const HASH_BYTES = 32;

/** Index of a text in a tree, and the sibling hashes on the path to the root. */
export interface Proof {
  readonly index: number;
  readonly path: readonly Buffer[];
}

/** The root over `texts`, at least one, and a proof for each text. */
export function buildTree(texts: readonly string[]): { root: Buffer; proofs: Proof[] } {
  const levels: Buffer[][] = [texts.map(leafOf)];
  for (let level = levels[0] ?? []; level.length > 1; ) {
    const above: Buffer[] = [];
    for (let i = 0; i < level.length; i += 2) above.push(nodeOf(at(level, i), level[i + 1]));
    levels.push(above);
    level = above;
  }
  const proofs = texts.map((_, index) => ({ index, path: pathOf(levels, index) }));
  return { root: at(levels.at(-1) ?? [], 0), proofs };
}

/** The root for a text and its proof. Any change of text, index or path results in a different root. */
export function rootOf(text: string, { index, path }: Proof): Buffer {
  let root = leafOf(text);
  let position = index;
  for (const sibling of path) {
    root = position % 2 === 0 ? nodeOf(root, sibling) : nodeOf(sibling, root);
    position = Math.floor(position / 2);
  }
  return root;
}

function pathOf(levels: readonly Buffer[][], index: number): Buffer[] {
  const path: Buffer[] = [];
  let position = index;
  for (const level of levels.slice(0, -1)) {
    // The last node of an odd level is its own sibling.
    path.push(level[position % 2 === 0 ? position + 1 : position - 1] ?? at(level, position));
    position = Math.floor(position / 2);
  }
  return path;
}

function leafOf(text: string): Buffer {
  return hash('sha256', Buffer.concat([LEAF, Buffer.from(text)]), 'buffer');
}

function nodeOf(left: Buffer, right: Buffer = left): Buffer {
  return hash('sha256', Buffer.concat([NODE, left, right]), 'buffer');
}

// Levels are dense arrays.
function at(level: readonly Buffer[], index: number): Buffer {
  return level[index] as Buffer;
}
