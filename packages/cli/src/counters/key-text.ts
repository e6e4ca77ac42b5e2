import type { Decoded, DecodedValue, InspectedKey } from '@tollgate/decision-plane/operate';

/** Longer lists are shortened; `--json` prints all. */
const MAX_ENTRIES = 10;

/** Units at the end of a field's name. */
const UNITS: readonly (readonly [suffix: string, unit: string])[] = [
  ['Units', ' units'],
  ['Permille', ' permille'],
  ['Ms', ' ms'],
  ['Us', ' µs'],
];

/** A decoded key as lines of names and values with their units. */
export function keyText({ key, kind, name, expiresInMs, value }: InspectedKey): string {
  const fields = { kind, ...name, expiresInMs: expiresInMs ?? 'never', ...value };
  return [key, ...linesOf(fields, '  ')].join('\n');
}

function linesOf(fields: Decoded, indent: string): string[] {
  const rows = Object.entries(fields).map(([name, value]) => ({ ...labelOf(name), value }));
  const width = Math.max(...rows.map(({ label }) => label.length));
  return rows.flatMap(({ label, unit, value }) => {
    if (isSimple(value)) return [`${indent}${label.padEnd(width)}  ${simpleText(value, unit)}`];
    return [`${indent}${label}`, ...nestedLines(value, `${indent}  `)];
  });
}

function nestedLines(value: Decoded | readonly DecodedValue[], indent: string): string[] {
  if (!isList(value)) return linesOf(value, indent);
  if (value.length === 0) return [`${indent}none`];
  const shown = value.slice(0, MAX_ENTRIES).flatMap((entry) => entryLines(entry, indent));
  const rest = value.length - MAX_ENTRIES;
  return rest > 0 ? [...shown, `${indent}… and ${rest} more`] : shown;
}

function entryLines(entry: DecodedValue, indent: string): string[] {
  if (isSimple(entry)) return [`${indent}${simpleText(entry, '')}`];
  if (isList(entry)) return [`${indent}${entry.join(', ')}`];
  return linesOf(entry, `${indent}  `).map((line, i) => (i === 0 ? `${indent}- ${line.trimStart()}` : line));
}

/** `expiresInMs` is `expires in`, in ms. */
function labelOf(name: string): { label: string; unit: string } {
  const [suffix = '', unit = ''] = UNITS.find(([end]) => name.endsWith(end)) ?? [];
  const words = name
    .slice(0, name.length - suffix.length)
    .replaceAll(/[A-Z]|\d+/g, (part) => ` ${part.toLowerCase()}`);
  return { label: words === '' ? suffix.toLowerCase() : words, unit };
}

function isSimple(value: DecodedValue): value is string | number | boolean | null {
  return value === null || typeof value !== 'object';
}

function isList(value: Decoded | readonly DecodedValue[]): value is readonly DecodedValue[] {
  return Array.isArray(value);
}

function simpleText(value: string | number | boolean | null, unit: string): string {
  if (value === null) return 'none';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'number' ? `${value.toLocaleString('en-US')}${unit}` : value;
}
