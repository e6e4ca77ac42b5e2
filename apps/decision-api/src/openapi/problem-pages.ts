import { PROBLEMS, type ProblemCode } from '@tollgate/contracts';
import { escapeHtml, htmlPage, inlineHtml } from './html.js';
import { PROBLEM_ADVICE } from './problem-advice.js';

const BELOW = '/docs/errors/';

/** Where the door explains a code. */
export function problemPath(code: ProblemCode): string {
  return BELOW + code;
}

/** The page of a code, for a browser. */
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

/** The same page for a repository. */
export function problemMarkdown(code: ProblemCode): string {
  const { why, todo } = PROBLEM_ADVICE[code];
  return `# ${code}\n\n${PROBLEMS[code].title}.\n\n${facts(code)}\n\n## Why\n\n${why}\n\n## What to do\n\n${todo}\n`;
}

/** A list of all pages, for a repository. */
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

Every error is an RFC 9457 problem (\`application/problem+json\`) with a stable \`code\`, and \`docs\`, the path of its page at
the decision API that answered. \`errors\` names every field that is wrong.

What is no error: a refused request (\`success: false\`, with \`reason\` and \`retryAfter\`; \`retryAfter: null\` where the cost can
never pass), a refund or settlement of something that was never charged or has expired (\`status: "not_found"\`), and one that
was made before (\`status: "done"\`).
`;
