const MAX_VALUES = 4;

const ACTIONS: Readonly<Record<string, string>> = {
  'member.add': 'added a member',
  'tenant.create': 'created the tenant',
  'tenant.tierChange': 'changed the tier',
  'tenant.suspend': 'suspended the tenant',
  'tenant.resume': 'resumed the tenant',
};

/** An action in words; one that is not known here reads as its name, `tier.publish` as `tier publish`. */
export function describeAction(action: string): string {
  return (
    ACTIONS[action] ??
    action
      .replace(/[._-]/g, ' ')
      .replace(/([a-z])([A-Z])/g, '$1 $2')
      .toLowerCase()
  );
}

/** The plain values that differ between two records, `tier: free → pro`; empty when none does. */
export function describeChange(before: unknown, after: unknown): string {
  const [from, to] = [plainFields(before), plainFields(after)];
  const names = [...new Set([...from.keys(), ...to.keys()])].filter(
    (name) => from.get(name) !== to.get(name),
  );
  return names
    .slice(0, MAX_VALUES)
    .map((name) => {
      const [old, now] = [from.get(name), to.get(name)];
      if (old === undefined) return `${name}: ${now}`;
      return now === undefined ? `${name}: ${old} removed` : `${name}: ${old} → ${now}`;
    })
    .join(', ');
}

/** A record's own values that can be shown in a line; versions and nested values are left out. */
function plainFields(record: unknown): Map<string, string> {
  const fields = new Map<string, string>();
  if (typeof record !== 'object' || record === null) return fields;
  for (const [name, value] of Object.entries(record)) {
    if (name === 'version' || name === 'id') continue;
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
      fields.set(name, String(value));
    }
  }
  return fields;
}
