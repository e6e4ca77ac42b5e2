/** A plain value as YAML, as configurations are written: blocks for objects, one line for short lists of words. */
export function toYaml(value: unknown, indent = 0): string {
  if (Array.isArray(value)) return value.map((item) => listItem(item, indent)).join('\n');
  if (!isObject(value)) return `${' '.repeat(indent)}${scalar(value)}`;
  return Object.entries(value)
    .filter(([, part]) => part !== undefined)
    .map(([name, part]) => entry(name, part, indent))
    .join('\n');
}

function entry(name: string, value: unknown, indent: number): string {
  const start = `${' '.repeat(indent)}${word(name)}:`;
  if (Array.isArray(value)) {
    const inline = value.length === 0 || value.every((item) => !isObject(item) && !Array.isArray(item));
    return inline ? `${start} [${value.map(scalar).join(', ')}]` : `${start}\n${toYaml(value, indent + 2)}`;
  }
  if (!isObject(value)) return `${start} ${scalar(value)}`;
  return Object.keys(value).length === 0 ? `${start} {}` : `${start}\n${toYaml(value, indent + 2)}`;
}

function listItem(item: unknown, indent: number): string {
  const text = toYaml(item, indent + 2);
  return `${' '.repeat(indent)}- ${text.slice(indent + 2)}`;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const scalar = (value: unknown): string => (typeof value === 'string' ? word(value) : JSON.stringify(value));

/** Quoted unless it can only be read as a text. */
function word(text: string): string {
  const plain = /^[A-Za-z][\w./+-]*$/.test(text) && !/^(true|false|null|yes|no|on|off|y|n)$/i.test(text);
  return plain ? text : JSON.stringify(text);
}
