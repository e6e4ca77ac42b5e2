/** What Prisma's CLI passes to its schema engine on the command line. */
export interface EngineArguments {
  version: boolean;
  url: string;
  shadowUrl?: string;
  schemaPaths: string[];
  /** `can-connect-to-database`, `create-database` or `drop-database`; undefined starts the JSON-RPC server. */
  subcommand?: string;
}

/** Reads the arguments; those without a meaning here (preview features, extension types) are skipped with their value. */
export function parseEngineArguments(argv: readonly string[]): EngineArguments {
  const result: EngineArguments = { version: false, url: '', schemaPaths: [] };
  const rest = [...argv];
  for (let name = rest.shift(); name !== undefined; name = rest.shift()) {
    if (name === '--version' || name === '-V') {
      result.version = true;
    } else if (name === '--datasource') {
      readDatasource(result, rest.shift() ?? '{}');
    } else if (name === '--datamodels' || name === '-d') {
      result.schemaPaths.push(rest.shift() ?? '');
    } else if (name === '--enabled-preview-features' || name === '--extension-types') {
      rest.shift();
    } else if (name === 'cli') {
      const subcommand = rest.shift();
      if (subcommand !== undefined) result.subcommand = subcommand;
    }
  }
  return result;
}

function readDatasource(result: EngineArguments, json: string): void {
  const { url, shadowDatabaseUrl } = JSON.parse(json) as { url?: string; shadowDatabaseUrl?: string };
  result.url = url ?? '';
  if (shadowDatabaseUrl) result.shadowUrl = shadowDatabaseUrl;
}
