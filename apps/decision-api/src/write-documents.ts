import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { PROBLEMS, type ProblemCode } from '@tollgate/contracts';
import { openApiDocument } from './openapi/document.js';
import { problemIndexMarkdown, problemMarkdown } from './openapi/pages.js';

// Writes the OpenAPI document and the error pages into the repository.

const inRepository = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

writeFileSync(
  inRepository('apps/decision-api/openapi.json'),
  `${JSON.stringify(openApiDocument(), null, 2)}\n`,
);
const folder = inRepository('docs/errors');
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
writeFileSync(`${folder}/README.md`, problemIndexMarkdown());
for (const code of Object.keys(PROBLEMS) as ProblemCode[])
  writeFileSync(`${folder}/${code}.md`, problemMarkdown(code));
