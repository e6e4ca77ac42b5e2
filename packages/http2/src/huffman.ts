/** How many bits the code of each byte has, RFC 7541 appendix B; the end of a text, which is never sent, comes last. */
const CODE_BITS = [
  [13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28],
  [28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 28],
  [6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6],
  [5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10],
  [13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7],
  [7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6],
  [15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5],
  [6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28],
  [20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23],
  [24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24],
  [22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23],
  [21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23],
  [26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25],
  [19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27],
  [20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23],
  [26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26],
  [30],
].flat();

const END = 256;
const SHORTEST = 5;
const LONGEST = 30;
/** Padding is shorter than a byte, and made of the first bits of `END`'s code, which are all ones. */
const MAX_PADDING_BITS = 7;

/** A tree: two places for each node, what follows a 0 and a 1. Below zero: a symbol, `-1 - symbol`. */
const TREE = treeOf(CODE_BITS);

/** Codes of one length follow each other by symbol, and the shorter ones come first: lengths say all. */
function treeOf(lengths: readonly number[]): Int16Array {
  const tree = new Int16Array(2 * lengths.length);
  let [code, nodes] = [0, 1];
  for (let bits = 1; bits <= LONGEST; bits++, code *= 2) {
    for (const [symbol, length] of lengths.entries()) {
      if (length !== bits) continue;
      let node = 0;
      for (let bit = bits - 1; bit > 0; bit--) {
        const place = 2 * node + ((code >>> bit) & 1);
        tree[place] ||= nodes++;
        node = tree[place] as number;
      }
      tree[2 * node + (code & 1)] = -1 - symbol;
      code++;
    }
  }
  return tree;
}

/** @returns undefined: it is not coded as it has to be */
export function decodeHuffman(bytes: Uint8Array): string | undefined {
  const text = Buffer.allocUnsafe(Math.floor((bytes.length * 8) / SHORTEST));
  let length = 0;
  let node = 0;
  let bitsSince = 0;
  let areOnes = true;
  for (const byte of bytes) {
    for (let bit = 7; bit >= 0; bit--) {
      const isOne = (byte >>> bit) & 1;
      const next = TREE[2 * node + isOne] as number;
      bitsSince++;
      areOnes &&= isOne === 1;
      if (next >= 0) {
        node = next;
        continue;
      }
      const symbol = -1 - next;
      if (symbol === END) return undefined;
      text[length++] = symbol;
      node = 0;
      bitsSince = 0;
      areOnes = true;
    }
  }
  return areOnes && bitsSince <= MAX_PADDING_BITS ? text.toString('latin1', 0, length) : undefined;
}
