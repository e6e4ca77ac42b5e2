// pnpm schema:release: takes the schema as it is now for released: from then on the check holds later ones to it.
// Refuses what breaks promises. Before version 1.0.0 `-- --breaking "why"` releases it all the same and keeps the reason.
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { brokenPromises } from './schema-contract.ts';

const { values } = parseArgs({
  args: process.argv.slice(2).filter((arg) => arg !== '--'),
  options: { breaking: { type: 'string' } },
});
const fileUrl = (name: string) => new URL(`../${name}`, import.meta.url);
const released = readFileSync(fileUrl('schema.released.graphql'), 'utf8');
const current = readFileSync(fileUrl('schema.graphql'), 'utf8');
const { version } = JSON.parse(readFileSync(fileUrl('package.json'), 'utf8')) as { version: string };
const today = new Date().toISOString().slice(0, 10);
const broken = brokenPromises(released, current, today);
const isAllowed = values.breaking !== undefined && version.startsWith('0.');
if (broken.length > 0 && !isAllowed) {
  console.error(`Callers of the released schema would break:\n  ${broken.join('\n  ')}`);
  console.error(
    'Keep it, deprecated, with "Kept until YYYY-MM-DD." in the reason; remove it after that day.',
  );
  process.exit(1);
}
const why = broken.length > 0 ? `\n# Breaking: ${values.breaking}` : '';
writeFileSync(fileUrl('schema.released.graphql'), `# Released ${today} as ${version}.${why}\n\n${current}`);
console.log(broken.length > 0 ? `Released, breaking:\n  ${broken.join('\n  ')}` : 'Released.');
