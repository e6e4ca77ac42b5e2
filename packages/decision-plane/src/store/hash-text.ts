/** A number for a text, 0 to 2^32 - 1 (FNV-1a): the same on every node. Not for secrets. */
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
