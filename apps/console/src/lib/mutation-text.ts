import { toYaml } from './yaml-text.js';

/** A mutation as a script would make it. */
export interface MutationCall {
  /** Its name, such as `tierPublish`. */
  mutation: string;
  /** Type of its input, such as `TierPublishInput`. */
  inputType: string;
  input: object;
  /** What the answer is asked for beside `userErrors`; left out: the change to follow. */
  selection?: string;
}

/** The mutation with its variables, for a GraphQL client. */
export function graphqlText(call: MutationCall): string {
  return `${documentOf(call)}\n\n# variables\n${JSON.stringify({ input: call.input }, null, 2)}`;
}

/** The mutation as a command for a shell; the token is left to be filled in. */
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

/** A part of a configuration as its file says it. */
export const yamlText = (config: object): string => toYaml({ version: 1, ...config });

/** The command that makes a part of a configuration hold. */
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
