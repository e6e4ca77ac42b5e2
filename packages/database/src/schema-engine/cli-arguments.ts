import { parseArgs } from 'node:util';

export interface EngineArguments {
  version: boolean;
  url: string;
  shadowUrl?: string;
  schemaPaths: string[];
  /** `can-connect-to-database`, `create-database` or `drop-database`; undefined starts the JSON-RPC server. */
  subcommand?: string;
}

/** Preview features and extension types have no meaning here. */
export function parseEngineArguments(argv: string[]): EngineArguments {
  const { values, positionals } = parseArgs({
    args: argv,
    allowPositionals: true,
    options: {
      version: { type: 'boolean', short: 'V', default: false },
      datasource: { type: 'string', default: '{}' },
      datamodels: { type: 'string', short: 'd', multiple: true, default: [] },
      'enabled-preview-features': { type: 'string' },
      'extension-types': { type: 'string' },
    },
  });
  const { url = '', shadowDatabaseUrl } = JSON.parse(values.datasource);
  const [, subcommand] = positionals;
  return {
    version: values.version,
    url,
    ...(shadowDatabaseUrl ? { shadowUrl: shadowDatabaseUrl } : {}),
    schemaPaths: values.datamodels,
    ...(subcommand === undefined ? {} : { subcommand }),
  };
}
