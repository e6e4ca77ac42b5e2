// pnpm schema:check: lists changes of schema.graphql that break callers of the last release (git tag v*).
// Before version 1.0.0, `-- --accept "reason"` records them in schema.accepted.json.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type AcceptedBreak, findLastRelease, findUnacceptedBreaks } from './schema-contract.ts';

const { values } = parseArgs({
  args: process.argv.slice(2).filter((arg) => arg !== '--'),
  options: { accept: { type: 'string' } },
});
const root = fileURLToPath(new URL('../../..', import.meta.url));
const acceptedUrl = new URL('../schema.accepted.json', import.meta.url);
const accepted = JSON.parse(readFileSync(acceptedUrl, 'utf8')) as AcceptedBreak[];
const release = findLastRelease(root);
const breaks = findUnacceptedBreaks(root, accepted, new Date().toISOString().slice(0, 10));
if (release === undefined) console.log('No release yet: there is no v* tag.');
else if (breaks.length === 0) console.log(`No breaking changes since ${release.tag}.`);
else if (values.accept !== undefined && release.tag.startsWith('v0.')) {
  const { accept: reason } = values;
  const added = breaks.map((change) => ({ since: release.tag, change, reason }));
  writeFileSync(acceptedUrl, `${JSON.stringify([...accepted, ...added], null, 2)}\n`);
  console.log(`Accepted ${breaks.length} breaking changes since ${release.tag}.`);
} else {
  console.error(`Breaking changes since ${release.tag}:\n  ${breaks.join('\n  ')}`);
  console.error(
    'Keep the old part with @deprecated and "Kept until YYYY-MM-DD." in its reason; remove it after that day.',
  );
  process.exitCode = 1;
}
