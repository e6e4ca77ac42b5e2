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
  { pattern: /\bturn(s|ed)?\b[^.]{0,20}\baway\b|sent away/i, say: 'shed (overload), denied (limit)' },
  { pattern: /put up with/i, say: 'abuse limits' },
  { pattern: /cannot be asked/i, say: 'unavailable' },
  { pattern: /\bwish(es|ed)?\b/i, say: 'request' },
  { pattern: /\bloosen|\btighten/i, say: 'increased, decreased' },
  { pattern: /\bheldBack|\bheld_back|\bheld back\b/, say: 'pinned by a rollout' },
  { pattern: /\bstanding\b|[a-z]Standing\b|\bStandings?\b/, say: 'status, profile' },
  { pattern: /withheld|PurchaseHold|HoldReason/i, say: 'flagged, needs review' },
  { pattern: /Station\b|\bstations?\b/, say: 'scheduled change' },
  { pattern: /PurchaseTurn|carryOut\b|goThrough[A-Z]/, say: 'a verb of the field: run, apply, simulate' },
  {
    pattern: /\b(what|who) is told\b|\b(is|are) told\b|\btold (of|what|how|who|by|to)\b/i,
    say: 'notified, reported, published',
  },
  { pattern: /\b(gave|gives?|given) back\b/i, say: 'refund, release, return' },
  { pattern: /\b(taken?|takes|took|taking) back\b/i, say: 'revert, roll back, revoke' },
  { pattern: /\b(anew|whoever|whomever|all the same|comes? about|came about)\b/i, say: 'a literal phrase' },
  { pattern: /not so many of/i, say: 'not enough stock' },
  { pattern: /\b(let|lets|letting) (it |them |this )?(through|pass)\b/i, say: 'allow' },
  {
    pattern: /organisation|authorisation|behaviour|utilisation|\bcolour|favourite|[a-z]cancelled/i,
    say: 'the American spelling',
  },
];

/** Files to check: sources, tests, schemas and documents; not generated code. */
const SOURCES = /\.(ts|tsx|mjs|lua|graphql|prisma|md)$/;
const EXCLUDED = /\/generated\/|^prisma\/migrations\/|^scripts\/checks\/vocabulary/;

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
