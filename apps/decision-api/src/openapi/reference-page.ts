import { PROBLEMS, type ProblemCode } from '@tollgate/contracts';
import type { Json } from './document.js';
import { escapeHtml, htmlPage, inlineHtml } from './html.js';
import { problemPath } from './problem-pages.js';

interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  security?: unknown[];
  parameters?: { name: string; required?: boolean; description?: string }[];
  requestBody?: { content: Record<string, { schema: Json }> };
  responses: Record<string, { description: string; content?: Record<string, { schema: Json }> }>;
}

/** The reference: the OpenAPI document for people, one page without a script. */
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
    `<p>${inlineHtml(summary)}. ${inlineHtml(description ?? '')}${security?.length === 0 ? ' Wants no token.' : ''}</p>`,
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
