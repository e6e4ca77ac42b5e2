import { PROBLEMS, type ProblemCode } from '@tollgate/contracts';
import { problemPath } from '../http/route.js';
import { type Json } from './document.js';
import { PROBLEM_ADVICE } from './problem-advice.js';

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

export function inlineHtml(text: string): string {
  return escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>');
}

export function htmlPage(title: string, body: string): string {
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escapeHtml(title)}</title><link rel="stylesheet" href="/docs/style.css"></head>`,
    `<body><main>${body}</main></body>`,
    '</html>',
    '',
  ].join('\n');
}

export const STYLE = `:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 0; }
main { max-width: 62rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; }
h1 { line-height: 1.2; }
h2 { margin: 2.5rem 0 0.5rem; padding-top: 1rem; border-top: 1px solid #8884; font-size: 1.15rem; }
code, pre { font: 0.875rem/1.5 ui-monospace, monospace; }
pre { overflow-x: auto; padding: 0.75rem 1rem; border: 1px solid #8884; border-radius: 6px; }
table { width: 100%; border-collapse: collapse; }
th, td { padding: 0.35rem 0.75rem 0.35rem 0; border-bottom: 1px solid #8883; text-align: left; vertical-align: top; }
summary { cursor: pointer; }
.method { display: inline-block; min-width: 3.25rem; font-weight: 600; text-transform: uppercase; }
`;

export function problemHtml(code: ProblemCode): string {
  const { why, todo } = PROBLEM_ADVICE[code];
  const { title } = PROBLEMS[code];
  const body = [
    `<h1><code>${code}</code></h1>`,
    `<p>${escapeHtml(title)}.</p>`,
    `<p>${inlineHtml(facts(code))}</p>`,
    `<h2>Why</h2><p>${inlineHtml(why)}</p>`,
    `<h2>What to do</h2><p>${inlineHtml(todo)}</p>`,
    '<p><a href="/docs">Reference</a></p>',
  ];
  return htmlPage(`${code}: ${title}`, body.join('\n'));
}

export function problemMarkdown(code: ProblemCode): string {
  const { why, todo } = PROBLEM_ADVICE[code];
  return `# ${code}\n\n${PROBLEMS[code].title}.\n\n${facts(code)}\n\n## Why\n\n${why}\n\n## What to do\n\n${todo}\n`;
}

export function problemIndexMarkdown(): string {
  const rows = (Object.keys(PROBLEMS) as ProblemCode[]).map((code) => {
    const { status, title, retryable } = PROBLEMS[code];
    return `| [\`${code}\`](${code}.md) | ${status} | ${retryable ? 'may help' : 'does not help'} | ${title} |`;
  });
  return `${INTRODUCTION}\n| code | status | trying again | |\n|---|---|---|---|\n${rows.join('\n')}\n`;
}

function facts(code: ProblemCode): string {
  const { status, retryable } = PROBLEMS[code];
  return `Status ${status}; type \`urn:tollgate:problem:${code}\`. Trying the same again ${retryable ? 'may help' : 'does not help'}.`;
}

const INTRODUCTION = `# Errors

Generated from \`packages/contracts/src/problems.ts\` and \`apps/decision-api/src/openapi/problem-advice.ts\`. Do not edit.

Every error is an RFC 9457 problem (\`application/problem+json\`) with a stable \`code\`. \`docs\` is the path of its page on the
decision API that returned it. \`errors\` lists the invalid fields.

These results are not errors: a denied request (\`success: false\` with \`reason\` and \`retryAfter\`; \`retryAfter: null\` if the cost
can never be allowed), a refund, release, renewal or settlement of a charge that does not exist or of a reservation that has expired
(\`status: "not_found"\`), and a repetition of one that succeeded (\`status: "done"\`).

A node with \`CONSOLE_URL\` adds two URLs to denied answers, also as problem bodies (\`?status=http\`, forward-auth, Envoy, SDK): \`docs\`,
what to do about denied requests, and \`explain\`, why this one was denied. \`explain\` is signed and valid for a week; strangers see what
the response contained, members of the tenant the limit of that time ([ADR 61](../adr/0061-explain-links.md)).
`;

interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  security?: unknown[];
  parameters?: { name: string; required?: boolean; description?: string }[];
  requestBody?: { content: Record<string, { schema: Json }> };
  responses: Record<string, { description: string; content?: Record<string, { schema: Json }> }>;
}

export function referencePage(document: Json): string {
  const { info, paths } = document as { info: Record<string, string>; paths: Record<string, Json> };
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      path,
      method,
      operation: operation as Operation,
    })),
  );
  const contents = operations.map(
    ({ path, method, operation }) =>
      `<tr><td><a href="#${operation.operationId}"><span class="method">${method}</span> <code>${path}</code></a></td>` +
      `<td>${inlineHtml(operation.summary)}</td></tr>`,
  );
  const body = [
    `<h1>${escapeHtml(info.title ?? '')}</h1><p>${inlineHtml(info.description ?? '')}</p>`,
    '<p>Send a service token as <code>Authorization: Bearer tga_…</code>. The same as data: ',
    '<a href="/openapi.json">OpenAPI 3.1</a>.</p>',
    `<table>${contents.join('\n')}</table>`,
    ...operations.map(({ path, method, operation }) => section(method, path, operation)),
    `<h2 id="errors">Errors</h2><table>${Object.keys(PROBLEMS).map(problemRow).join('\n')}</table>`,
  ];
  return htmlPage(info.title ?? '', body.join('\n'));
}

function section(method: string, path: string, operation: Operation): string {
  const { operationId, summary, description, security, parameters = [], requestBody, responses } = operation;
  const fields = parameters.map(
    ({ name, required, description: about = '' }) =>
      `<tr><td><code>${escapeHtml(name)}</code></td><td>${required === true ? 'needed' : ''}</td><td>${inlineHtml(about)}</td></tr>`,
  );
  return [
    `<h2 id="${operationId}"><span class="method">${method}</span> <code>${path}</code></h2>`,
    `<p>${inlineHtml(summary)}. ${inlineHtml(description ?? '')}${security?.length === 0 ? ' No token required.' : ''}</p>`,
    fields.length === 0 ? '' : `<p>Query</p><table>${fields.join('\n')}</table>`,
    ...schemas('Body', requestBody?.content),
    ...Object.entries(responses).flatMap(([status, response]) => [
      `<p><strong>${status}</strong> ${inlineHtml(response.description)}</p>`,
      ...(status === '200' ? schemas('Answer', response.content) : []),
    ]),
  ].join('\n');
}

function schemas(title: string, content: Record<string, { schema: Json }> = {}): string[] {
  return Object.entries(content).map(
    ([type, { schema }]) =>
      `<details><summary>${title}: <code>${escapeHtml(type)}</code></summary>` +
      `<pre>${escapeHtml(JSON.stringify(schema, null, 2))}</pre></details>`,
  );
}

function problemRow(code: string): string {
  const { status, title } = PROBLEMS[code as ProblemCode];
  return `<tr><td><a href="${problemPath(code as ProblemCode)}"><code>${code}</code></a></td><td>${status}</td><td>${escapeHtml(title)}</td></tr>`;
}
