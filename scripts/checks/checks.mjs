/**
 * The checks of `npm test` beside the tests. Those of one group run two at a time; groups follow each other, because
 * the first rewrites files that the others read.
 *
 * @type {{ name: string, pnpm?: string[], node?: string[] }[][]}
 */
export const CHECK_GROUPS = [
  [{ name: 'Generated files', node: ['scripts/codegen.mjs', '--check'] }],
  [
    { name: 'Types', pnpm: ['exec', 'tsc', '-p', 'tsconfig.node.json'] },
    { name: 'Types of the console', pnpm: ['exec', 'tsc', '-p', 'apps/console'] },
    { name: 'Format and lint', pnpm: ['exec', 'biome', 'check', '.'] },
    {
      name: 'Floating promises',
      pnpm: ['exec', 'oxlint', '--config', '.oxlintrc.json', '--type-aware', 'apps', 'packages', 'prisma'],
    },
    {
      name: 'Boundaries',
      pnpm: ['exec', 'depcruise', '--config', '.dependency-cruiser.cjs', 'apps', 'packages', 'prisma'],
    },
    { name: 'Unused code', pnpm: ['exec', 'knip'] },
    { name: 'Vocabulary', node: ['scripts/checks/vocabulary.mjs'] },
    { name: 'Migrations', node: ['packages/database/tools/check-migrations.mjs'] },
  ],
];
