import { hash } from 'node:crypto';

/** Hashes of a tree over texts: leaves and nodes are hashed under different prefixes, so that neither passes for the other. */
const LEAF = Buffer.of(0);
const NODE = Buffer.of(1);

/** Bytes of one hash. */
export const HASH_BYTES = 32;

/** Where a text stands in a tree, and the hashes that lead from it to the root. */
export interface Proof {
  readonly index: number;
  readonly path: readonly Buffer[];
}

/** The root over `texts`, at least one, and a proof for each. */
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

/** The root that a text with this proof belongs to. Any change of text, place or path gives another one. */
export function rootOf(text: string, { index, path }: Proof): Buffer {
  let root = leafOf(text);
  let place = index;
  for (const sibling of path) {
    root = place % 2 === 0 ? nodeOf(root, sibling) : nodeOf(sibling, root);
    place = Math.floor(place / 2);
  }
  return root;
}

function pathOf(levels: readonly Buffer[][], index: number): Buffer[] {
  const path: Buffer[] = [];
  let place = index;
  for (const level of levels.slice(0, -1)) {
    // The last of an odd level stands beside itself.
    path.push(level[place % 2 === 0 ? place + 1 : place - 1] ?? at(level, place));
    place = Math.floor(place / 2);
  }
  return path;
}

function leafOf(text: string): Buffer {
  return hash('sha256', Buffer.concat([LEAF, Buffer.from(text)]), 'buffer');
}

function nodeOf(left: Buffer, right: Buffer = left): Buffer {
  return hash('sha256', Buffer.concat([NODE, left, right]), 'buffer');
}

// Trees have no holes.
function at(level: readonly Buffer[], index: number): Buffer {
  return level[index] as Buffer;
}
