export interface SnippetFacts {
  /** Address of the decision API. */
  decisionUrl: string;
  /** The tenant's key or a placeholder. */
  key: string;
  api: string;
  operation: string;
}

export const SNIPPETS = ['curl', 'node', 'sdk', 'express', 'nginx'] as const;
export type SnippetName = (typeof SNIPPETS)[number];

/** Placeholders for unknown values; invalid as values, so that no program accepts them. */
export const KEY_PLACEHOLDER = '<your key>';
export const URL_PLACEHOLDER = 'https://<decision API>';

/** An example that can be run as it stands. */
export function snippetOf(name: SnippetName, facts: SnippetFacts): string {
  return WRITERS[name](facts);
}

const WRITERS: Readonly<Record<SnippetName, (facts: SnippetFacts) => string>> = {
  curl: ({ decisionUrl, key, api }) => `curl '${decisionUrl}/v1/limits?api=${api}' \\
  -H 'Authorization: Bearer ${key}'`,

  node: ({ key, api, operation }) => `// The address is that of the service whose ${operation} you call.
const url = process.env.${envName(api)}_URL;
const key = '${key}';

export async function ${functionName(operation)}(init = {}) {
  for (;;) {
    const headers = { ...init.headers, authorization: \`Bearer \${key}\` };
    const response = await fetch(url, { ...init, headers });
    if (response.status !== 429) return response;
    const seconds = Number(response.headers.get('retry-after') ?? 1);
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  }
}`,

  sdk: ({ key, api, operation }) => `import { patientFetch } from '@tollgate/sdk/fetch';

// The address is that of the service whose ${operation} you call.
const url = process.env.${envName(api)}_URL;
const key = '${key}';
const waiting = patientFetch({ retries: 5 });

export const ${functionName(operation)} = (init = {}) =>
  waiting(url, { ...init, headers: { ...init.headers, authorization: \`Bearer \${key}\` } });`,

  express: ({ decisionUrl, api, operation }) => `import express from 'express';

const app = express();

app.use(async (request, response, next) => {
  const answer = await fetch('${decisionUrl}/v1/limit?status=http', {
    method: 'POST',
    headers: {
      authorization: \`Bearer \${process.env.TOLLGATE_TOKEN}\`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({
      key: request.get('authorization')?.replace(/^Bearer /, ''),
      api: '${api}',
      operation: '${operation}',
    }),
  });
  for (const name of ['ratelimit-policy', 'ratelimit', 'retry-after']) {
    const value = answer.headers.get(name);
    if (value !== null) response.set(name, value);
  }
  if (answer.ok) return next();
  response.status(answer.status).json(await answer.json());
});

app.post('/', (request, response) => response.json({ done: '${operation}' }));
app.listen(3000);`,

  nginx: ({ key, api }) => `upstream ${api} {
  server ${api}.example:443;
}

server {
  listen 8080;
  location / {
    proxy_pass https://${api};
    proxy_set_header Authorization "Bearer ${key}";
    # A refusal is an answer: trying another server would only be refused again.
    proxy_next_upstream error timeout;
    # RateLimit, RateLimit-Policy and Retry-After pass as they are.
  }
}`,
};

const envName = (api: string): string => api.toUpperCase().replaceAll('-', '_');

/** An operation as a program can name a function. */
function functionName(operation: string): string {
  const words = operation.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  const joined = words
    .map((word, i) => (i === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1)))
    .join('');
  return /^[A-Za-z]/.test(joined) ? joined : `call${joined}`;
}
