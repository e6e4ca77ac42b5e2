/** A plain value as YAML: blocks for objects, one line for lists of scalars. */
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

/** Quotes texts that YAML could read as another type. */
function word(text: string): string {
  const plain = /^[A-Za-z][\w./+-]*$/.test(text) && !/^(true|false|null|yes|no|on|off|y|n)$/i.test(text);
  return plain ? text : JSON.stringify(text);
}

export interface MutationCall {
  /** Such as `tierPublish`. */
  mutation: string;
  /** Such as `TierPublishInput`. */
  inputType: string;
  input: object;
  /** Fields to select besides `userErrors`; defaults to `changeId`. */
  selection?: string;
}

export function graphqlText(call: MutationCall): string {
  return `${documentOf(call)}\n\n# variables\n${JSON.stringify({ input: call.input }, null, 2)}`;
}

/** The token is a variable of the shell. */
export function curlText(call: MutationCall, origin: string): string {
  const body = JSON.stringify({
    query: documentOf(call).replace(/\s+/g, ' '),
    variables: { input: call.input },
  });
  return [
    `curl ${origin}/graphql`,
    `  -H "authorization: Bearer $TOLLGATE_TOKEN"`,
    `  -H 'content-type: application/json'`,
    `  -d '${body.replaceAll("'", "'\\''")}'`,
  ].join(' \\\n');
}

export const yamlText = (config: object): string => toYaml({ version: 1, ...config });

export function cliText(config: object): string {
  return [
    "cat > tollgate.yaml <<'EOF'",
    yamlText(config),
    'EOF',
    'tollgate config diff tollgate.yaml',
    'tollgate config apply tollgate.yaml',
  ].join('\n');
}

function documentOf({ mutation, inputType, selection = 'changeId' }: MutationCall): string {
  const name = mutation.charAt(0).toUpperCase() + mutation.slice(1);
  const fields = [selection, 'userErrors { code field message }'].filter(Boolean).join(' ');
  return `mutation ${name}($input: ${inputType}!) {\n  ${mutation}(input: $input) { ${fields} }\n}`;
}
