/**
 * Generated files that are committed, in order of dependency. Paths are relative to the root; `dist` needs a build.
 * @type {{ name: string, cwd?: string, args: string[], outputs: string[] }[]}
 */
export const GENERATORS = [
  {
    name: 'Lua scripts of the limiter',
    cwd: 'packages/limiter',
    args: ['tools/assemble.mjs'],
    outputs: ['packages/limiter/src/generated'],
  },
  {
    name: 'Lua scripts of the decision plane',
    cwd: 'packages/decision-plane',
    args: ['../limiter/tools/assemble.mjs'],
    outputs: ['packages/decision-plane/src/generated'],
  },
  {
    name: 'file descriptors of the gRPC server',
    args: ['apps/decision-api/tools/descriptors.mjs'],
    outputs: ['apps/decision-api/src/generated/descriptors.ts'],
  },
  {
    name: 'messages of the gRPC server',
    args: ['apps/decision-api/tools/messages.mjs'],
    outputs: ['requests', 'responses'].flatMap((name) =>
      ['js', 'd.ts'].map((extension) => `apps/decision-api/src/generated/${name}.${extension}`),
    ),
  },
  {
    name: 'time zones',
    args: ['scripts/codegen/time-zones.mjs'],
    outputs: ['packages/contracts/src/generated'],
  },
  {
    name: 'characters of invoices and receipts',
    args: ['--conditions=tollgate:source', 'apps/control-plane/tools/printable-characters.ts'],
    outputs: ['apps/control-plane/src/platform/printable/generated'],
  },
  {
    name: 'GraphQL schema',
    args: ['apps/control-plane/dist/print-schema.js'],
    outputs: ['apps/control-plane/schema.graphql'],
  },
  {
    name: 'JSON Schema of configuration files',
    args: ['scripts/codegen/config-schema.mjs'],
    outputs: ['packages/cli/config.schema.json'],
  },
  {
    name: 'environment of both apps',
    args: ['scripts/codegen/environment.mjs'],
    outputs: [
      'docker/.env.example',
      'docs/operate/configuration.md',
      'deploy/helm/tollgate/values.schema.json',
    ],
  },
  {
    name: 'tables of the capacity model',
    args: ['scripts/codegen/scaling.mjs'],
    outputs: ['docs/operate/scaling.md'],
  },
  {
    name: 'Grafana dashboards',
    args: ['scripts/codegen/dashboards.mjs'],
    outputs: ['deploy/monitoring/dashboards'],
  },
  {
    name: 'OpenAPI document and error pages of the decision API',
    args: ['apps/decision-api/dist/write-documents.js'],
    outputs: ['apps/decision-api/openapi.json', 'docs/errors'],
  },
  {
    name: 'GraphQL documents of the console',
    cwd: 'apps/console',
    args: ['node_modules/@graphql-codegen/cli/esm/bin.js', '--config', 'codegen.ts'],
    outputs: ['apps/console/src/generated'],
  },
];
