import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../run/root.mjs';

// Usage: node scripts/codegen/env-example.mjs <app> [schema]. Writes apps/<app>/.env.example from the built schema;
// optional variables are commented out with their default.

const [app, schemaName = 'envSchema'] = process.argv.slice(2);
const folder = path.join(ROOT, 'apps', app);
const built = await import(pathToFileURL(path.join(folder, 'dist/config/env-schema.js')).href);
const entries = Object.entries(built[schemaName].shape).map(([name, schema]) => {
  const { description } = schema.meta() ?? {};
  if (description === undefined) throw new Error(`${app}: ${name} has no description`);
  const absent = schema.safeParse(undefined);
  return `# ${description}\n${absent.success ? `# ${name}=${absent.data ?? ''}` : `${name}=`}\n`;
});
writeFileSync(
  path.join(folder, '.env.example'),
  `# Generated from src/config/env-schema.ts. Do not edit.\n\n${entries.join('\n')}`,
);
