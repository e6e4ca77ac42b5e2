import { STATIC_TABLE } from './static-table.js';

const LITERAL_WITHOUT_INDEXING = 0;
const INDEXED = 0x80;

/**
 * A header block that means the same on every connection, as it refers to nothing that was sent before: it may be made once and sent
 * anywhere. A few bytes longer than one that does.
 * @param fields of ASCII; names in lower case
 */
export function encodeBlock(fields: readonly (readonly [name: string, value: string])[]): Buffer {
  return Buffer.concat(fields.map(([name, value]) => encodeField(name, value)));
}

function encodeField(name: string, value: string): Buffer {
  const whole = STATIC_TABLE.findIndex((field) => field.name === name && field.value === value) + 1;
  if (whole > 0) return integer(whole, 7, INDEXED);
  const named = STATIC_TABLE.findIndex((field) => field.name === name) + 1;
  const parts = [integer(named, 4, LITERAL_WITHOUT_INDEXING)];
  if (named === 0) parts.push(text(name));
  parts.push(text(value));
  return Buffer.concat(parts);
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value, 'latin1');
  return Buffer.concat([integer(bytes.length, 7, 0), bytes]);
}

/** RFC 7541 §5.1, behind the bits that say what follows. */
function integer(value: number, prefixBits: number, head: number): Buffer {
  const full = 2 ** prefixBits - 1;
  if (value < full) return Buffer.from([head | value]);
  const bytes = [head | full];
  let rest = value - full;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
  return Buffer.from([...bytes, rest]);
}
