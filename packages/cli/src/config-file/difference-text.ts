type Entry = Record<string, unknown>;

/**
 * The differences between two values of a field, one line for each leaf: `limits[shop/create].limit: 10 -> 20`. Named
 * entries of a list are matched by API and name, in any order.
 */
export function describeDifference(path: string, before: unknown, after: unknown): string[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  if (isNamedList(before) && isNamedList(after)) {
    const lines = describeMaps((name) => `${path}[${name}]`, byName(before), byName(after));
    return lines.length > 0 ? lines : [`${path}: order changed`];
  }
  if (isEntry(before) && isEntry(after)) {
    return describeMaps((name) => `${path}.${name}`, toMap(before), toMap(after));
  }
  return [`${path}: ${text(before)} -> ${text(after)}`];
}

function describeMaps(
  pathOf: (name: string) => string,
  before: Map<string, unknown>,
  after: Map<string, unknown>,
): string[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].flatMap((name) => describeDifference(pathOf(name), before.get(name), after.get(name)));
}

const toMap = (entry: Entry): Map<string, unknown> => new Map(Object.entries(entry));

function byName(list: readonly Entry[]): Map<string, unknown> {
  return new Map(list.map((entry) => [identityOf(entry), entry]));
}

function identityOf({ api, name }: Entry): string {
  return api === undefined ? String(name) : `${api}/${name}`;
}

function isEntry(value: unknown): value is Entry {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Entries that all have names, each another one; an empty list too. */
function isNamedList(value: unknown): value is Entry[] {
  if (!Array.isArray(value) || !value.every((entry) => isEntry(entry) && 'name' in entry)) return false;
  return new Set(value.map(identityOf)).size === value.length;
}

const text = (value: unknown): string => (value == null ? 'none' : JSON.stringify(value));
