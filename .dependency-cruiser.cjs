/** Who may import whom (CONTRIBUTING.md, layout). Paths carry capture groups, so new features and packages are covered. */
const TESTS = '(\\.spec\\.tsx?|\\.(e2e|nightly)\\.ts)$|/(test|testing)/|^verification/';

/** Areas of the control plane, each with the areas that it may import. */
const AREAS = {
  catalogue: [],
  customers: ['catalogue'],
  commerce: ['catalogue', 'customers'],
  distribution: ['catalogue', 'customers'],
  notify: ['customers'],
  identity: ['customers'],
  people: ['customers', 'identity', 'notify'],
  usage: ['catalogue', 'customers', 'distribution', 'identity'],
  governance: ['catalogue', 'customers', 'commerce', 'distribution', 'usage'],
};

/** Packages of the decision path, each with the packages that it may import. */
const PACKAGES = {
  limiter: ['contracts'],
  policy: ['contracts', 'limiter'],
  replay: ['contracts', 'limiter', 'policy'],
  'decision-plane': ['contracts', 'limiter', 'policy', 'replay'],
};

function packageRules() {
  return Object.entries(PACKAGES).map(([name, imports]) => ({
    name: `package-${name}`,
    severity: 'error',
    comment: `packages/${name} imports ${imports.join(', ')}; change PACKAGES only with the architecture.`,
    from: { path: `^packages/${name}/src/`, pathNot: TESTS },
    to: { path: `^(packages/(?!(${[name, ...imports].join('|')})/)|apps|prisma)` },
  }));
}

function areaRules() {
  return Object.entries(AREAS).map(([area, imports]) => ({
    name: `area-${area}`,
    severity: 'error',
    comment: `features/${area} imports ${imports.join(', ') || 'no other area'}; change AREAS only with the architecture.`,
    from: { path: `^apps/control-plane/src/features/${area}/`, pathNot: TESTS },
    to: { path: `^apps/control-plane/src/features/(?!(${[area, ...imports].join('|')})/)` },
  }));
}

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      comment: 'A cycle has no first part to read.',
      from: { pathNot: '/generated/' },
      to: { circular: true },
    },
    {
      name: 'contracts-import-nothing-of-ours',
      severity: 'error',
      comment: 'Everybody imports contracts; what it imported would reach every app and the SDK.',
      from: { path: '^packages/contracts/src' },
      to: { path: '^(packages/(?!contracts)|apps|prisma)' },
    },
    {
      name: 'the-sdk-brings-contracts-only',
      severity: 'error',
      comment: 'It is bundled with what it imports, and runs where nothing else of ours does.',
      from: { path: '^packages/sdk/src/', pathNot: TESTS },
      to: { path: '^(packages/(?!sdk/|contracts/)|apps|prisma)|node_modules/zod/' },
    },
    {
      name: 'packages-never-import-apps',
      severity: 'error',
      from: { path: '^packages/' },
      to: { path: '^apps/' },
    },
    {
      name: 'apps-never-import-apps',
      severity: 'error',
      from: { path: '^apps/([^/]+)/' },
      to: { path: '^apps/(?!$1/)' },
    },
    {
      name: 'verification-is-imported-by-nobody',
      severity: 'error',
      comment:
        'Helpers that its programs and tests share are in the tests of a package or app, or in the test kit.',
      from: { path: '^(apps|packages|prisma)/' },
      to: { path: '^verification/' },
    },
    ...packageRules(),
    {
      name: 'decisions-never-need-postgres',
      severity: 'error',
      comment: 'The decision path learns policy from Redis, so that an outage of Postgres cannot stop it.',
      from: { path: '^(apps/decision-api|packages/(limiter|policy|replay|decision-plane))/', pathNot: TESTS },
      to: { path: '^(packages/database|prisma)/|node_modules/(pg|@prisma)/' },
    },
    {
      name: 'packages-by-their-exports',
      severity: 'error',
      comment: 'What a package does not export is its own business.',
      from: { path: '^(?:packages|apps)/([^/]+)/' },
      to: {
        path: '^packages/(?!$1/)[^/]+/(src|dist|tools)/',
        pathNot:
          '^packages/[^/]+/(src|dist)/(index|addresses|answers|audit-actions|audit-chain|audit-head|brand|carry-over|countable|environment|eventually|explain-link|format|global-setup|headers|insecure-settings|algorithms|limit-scope|limit-summary|limit-title|maps|money|older-node|operate|problems|random|rules|same-origin-url|service-token|stores|testing/index|time-zones|typed-number)\\.(ts|js)$',
      },
    },
    {
      name: 'algorithms-are-pure',
      severity: 'error',
      comment: 'The models know no clock, store or engine: contracts and each other only.',
      from: { path: '^packages/limiter/src/algorithms/', pathNot: TESTS },
      to: { pathNot: '^packages/(contracts|limiter/src/algorithms)/|node_modules/zod/' },
    },
    {
      name: 'redis-only-behind-stores-and-platform',
      severity: 'error',
      from: {
        pathNot: [
          '^packages/limiter/src/(stores|scripts|redis|cluster|testing)/',
          '^packages/decision-plane/src/(policy-redis|scripts|inspect|testing)/',
          '^packages/(embedded|test-kit)/',
          '^apps/control-plane/src/(platform/|main|worker|setup|app)',
          TESTS,
        ],
      },
      to: { path: 'node_modules/ioredis/' },
    },
    {
      name: 'prisma-only-in-repositories-and-platform',
      severity: 'error',
      from: {
        path: '^apps/',
        pathNot: [
          '\\.repository\\.ts$',
          '/platform/',
          TESTS,
          '^apps/control-plane/src/(main|worker|setup|app)',
        ],
      },
      to: { path: '^packages/database/|node_modules/@prisma/' },
    },
    {
      name: 'areas-by-their-index',
      severity: 'error',
      comment:
        'An area exports in its index.ts what other areas and the app need; its other files may change freely.',
      from: { path: '^apps/control-plane/src/features/([^/]+)/' },
      to: {
        path: '^apps/control-plane/src/features/(?!$1/)[^/]+/',
        pathNot: '^apps/control-plane/src/features/[^/]+/index\\.ts$',
      },
    },
    ...areaRules(),
    {
      name: 'platform-never-imports-features',
      severity: 'error',
      from: { path: '^apps/control-plane/src/(platform|config)/' },
      to: { path: '^apps/control-plane/src/features/' },
    },
    {
      name: 'console-features-stay-apart',
      severity: 'error',
      comment: 'Pages in src/app put features together.',
      from: { path: '^apps/console/src/features/([^/]+)/' },
      to: { path: '^apps/console/src/(features/(?!$1/)|app/)' },
    },
    {
      name: 'console-shared-parts-know-no-feature',
      severity: 'error',
      from: { path: '^apps/console/src/(components|lib|testing)/' },
      to: { path: '^apps/console/src/(features|app)/' },
    },
    {
      name: 'test-services-stay-out-of-production',
      severity: 'error',
      from: { path: '^(apps|packages/(?!test-kit|embedded))', pathNot: [TESTS, '/tools/'] },
      to: { path: '^packages/(embedded|test-kit)/' },
    },
    {
      name: 'no-orphans',
      severity: 'error',
      comment: 'What nobody imports and does not start by itself is dead.',
      from: {
        orphan: true,
        pathNot: [
          '(main|worker|setup|version|write-documents|vite\\.config|vite-env\\.d)\\.tsx?$',
          TESTS,
          '/generated/',
          '\\.d\\.ts$',
          '\\.config\\.ts$',
          '/tools/',
          '\\.mjs$',
        ],
      },
      to: {},
    },
    {
      name: 'no-unresolvable',
      severity: 'error',
      // Generated documents import types only, from a package that holds nothing else.
      from: { pathNot: '/generated/' },
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(dist|generated/client/internal|generated/client/models)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.base.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['tollgate:source', 'types', 'import', 'node', 'default'],
      extensions: ['.ts', '.tsx', '.js', '.mjs', '.json'],
    },
  },
};
