import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../run/root.mjs';

/**
 * Words that the code, its comments and its messages do not use, each with the words of the field (docs/architecture/glossary.md).
 * Add a pattern when a synonym comes back in review.
 * @type {{ pattern: RegExp, say: string }[]}
 */
const FORBIDDEN = [
  { pattern: /errand/i, say: 'job, queued call' },
  { pattern: /\bdoors?\b|[a-z]Door\b|\bDoor[A-Z]/, say: 'HTTP API, gRPC server, forward-auth endpoint' },
  { pattern: /turn(s|ed)? away|sent away/i, say: 'shed (overload), denied (limit)' },
  { pattern: /put up with/i, say: 'abuse limits' },
  { pattern: /cannot be asked/i, say: 'unavailable' },
];

/** Files to check: sources without tests and generated code. */
const SOURCES = /^(apps|packages)\/[^/]+\/src\/.*\.(ts|tsx|lua)$|^scripts\/.*\.mjs$|schema\.graphql$/;
const EXCLUDED = /\.(spec|e2e)\.|\/generated\/|^scripts\/test\/|^scripts\/checks\/vocabulary/;

/** Returns `line: word → words to use` for each forbidden word in a text. */
export function findForbidden(text) {
  return text.split('\n').flatMap((line, index) =>
    FORBIDDEN.flatMap(({ pattern, say }) => {
      const [found] = pattern.exec(line) ?? [];
      return found === undefined ? [] : [`${index + 1}: "${found}" → ${say}`];
    }),
  );
}

function main() {
  const files = execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8', maxBuffer: 1 << 26 }).split(
    '\n',
  );
  const problems = files
    .filter((file) => SOURCES.test(file) && !EXCLUDED.test(file))
    .flatMap((file) =>
      findForbidden(readFileSync(path.join(ROOT, file), 'utf8')).map((found) => `${file}:${found}`),
    );
  if (problems.length === 0) return;
  console.error(`${problems.join('\n')}\n\nUse the words of docs/architecture/glossary.md.`);
  process.exitCode = 1;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main();
