import path from 'node:path';
import { pnpmVersion, TOOL_ENV } from '../bootstrap/install.mjs';
import { ROOT } from '../run/root.mjs';
import { runCommand } from '../run/run-command.mjs';
import { seconds } from '../run/steps.mjs';

/** Folders of code, as in `lint` and `boundaries` of package.json. */
const SOURCES = ['apps', 'packages', 'prisma', 'verification'];

/**
 * Checks of `npm test`. Groups run in order: the first check rewrites files that those of the second group read.
 * @type {{ name: string, pnpm?: string[], node?: string[] }[][]}
 */
export const CHECK_GROUPS = [
  [
    { name: 'Generated files', node: ['scripts/codegen.mjs', '--check'] },
    { name: 'Migrations', node: ['packages/database/tools/check-migrations.mjs'] },
    { name: 'Migrations after the first release', node: ['scripts/checks/lint-migrations.mjs'] },
  ],
  [
    { name: 'Types', pnpm: ['exec', 'tsgo', '-p', 'tsconfig.node.json'] },
    { name: 'Types of the console', pnpm: ['exec', 'tsgo', '-p', 'apps/console'] },
    { name: 'Built-ins of published packages', pnpm: ['exec', 'tsgo', '-p', 'tsconfig.published.json'] },
    { name: 'Format and lint', pnpm: ['exec', 'biome', 'check', '.'] },
    {
      name: 'Floating promises',
      pnpm: ['exec', 'oxlint', '--config', '.oxlintrc.json', '--type-aware', ...SOURCES],
    },
    {
      name: 'Boundaries',
      pnpm: ['exec', 'depcruise', '--config', '.dependency-cruiser.cjs', ...SOURCES],
    },
    {
      name: 'Cycles of folders',
      pnpm: [
        'exec',
        'depcruise',
        '--config',
        '.dependency-cruiser-folders.cjs',
        'packages',
        'apps/decision-api',
      ],
    },
    { name: 'Unused code', pnpm: ['exec', 'knip'] },
    { name: 'Vocabulary', node: ['scripts/checks/vocabulary.mjs'] },
  ],
];

const AT_A_TIME = 2;
const NAME_WIDTH = 58;

/** Prints one line per check, and the output of failed ones. @returns {Promise<number>} number of failed checks */
export async function runChecks(stopRequest) {
  let failed = 0;
  for (const group of CHECK_GROUPS) {
    const queue = [...group];
    const work = async () => {
      for (let check = queue.shift(); check !== undefined; check = queue.shift()) {
        if (stopRequest.isRequested) return;
        if (!(await runCheck(check))) failed += 1;
      }
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, work));
  }
  return failed;
}

export async function runCheck(check) {
  const startedAt = performance.now();
  const [command, args] = check.node
    ? [process.execPath, check.node]
    : ['npx', ['--yes', `pnpm@${pnpmVersion()}`, ...check.pnpm]];
  const bin = path.join(ROOT, 'node_modules', '.bin');
  const env = { ...TOOL_ENV, PATH: `${bin}${path.delimiter}${process.env.PATH}` };
  const { code, output } = await runCommand(command, args, { cwd: ROOT, env });
  const mark = code === 0 ? '✔' : '✖';
  console.log(
    `  ${mark} ${check.name.padEnd(NAME_WIDTH)} ${seconds(performance.now() - startedAt).padStart(7)}`,
  );
  if (code !== 0) console.log(`\n${output.trimEnd()}\n`);
  return code === 0;
}
