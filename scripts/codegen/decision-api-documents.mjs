import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { openApiDocument } from '../../apps/decision-api/dist/openapi/document.js';
import { problemIndexMarkdown, problemMarkdown } from '../../apps/decision-api/dist/openapi/problem-pages.js';
import { PROBLEMS } from '../../packages/contracts/dist/index.js';
import { ROOT } from '../run/root.mjs';

// Writes what the decision API says about itself: its OpenAPI document, and a page for each of its errors.

writeFileSync(
  path.join(ROOT, 'apps/decision-api/openapi.json'),
  `${JSON.stringify(openApiDocument(), null, 2)}\n`,
);
const folder = path.join(ROOT, 'docs/errors');
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
writeFileSync(path.join(folder, 'README.md'), problemIndexMarkdown());
for (const code of Object.keys(PROBLEMS))
  writeFileSync(path.join(folder, `${code}.md`), problemMarkdown(code));
