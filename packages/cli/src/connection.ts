import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';

/** Wrong usage or no connection: exit code 2. The message is for the user. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

export interface Connection {
  url: string;
  token: string;
}

interface Flags {
  url?: string | undefined;
  token?: string | undefined;
}

/** Where a command finds an API: environment variables, else fields of the `dev.json` of a running instance. */
interface Source {
  urlVariable: string;
  tokenVariable: string;
  tokenKind: string;
  devSchema: z.ZodType<Connection>;
}

const DECISION_API: Source = {
  urlVariable: 'TOLLGATE_URL',
  tokenVariable: 'TOLLGATE_TOKEN',
  tokenKind: 'its service token',
  devSchema: z
    .object({ decisionUrl: z.url(), serviceToken: z.string().min(1) })
    .transform(({ decisionUrl, serviceToken }) => ({ url: decisionUrl, token: serviceToken })),
};

const GRAPHQL_API: Source = {
  urlVariable: 'TOLLGATE_GRAPHQL_URL',
  tokenVariable: 'TOLLGATE_ADMIN_TOKEN',
  tokenKind: 'a service token with the admin scope',
  devSchema: z
    .object({ graphqlUrl: z.url(), adminToken: z.string().min(1) })
    .transform(({ graphqlUrl, adminToken }) => ({ url: graphqlUrl, token: adminToken })),
};

/**
 * Uses flags, else TOLLGATE_URL and TOLLGATE_TOKEN, else the `dev.json` of an instance started with `npm start`. The
 * token of that file is only sent to the address of that file.
 * @throws CommandError with advice
 */
export function findConnection(flags: Flags, env = process.env, cwd = process.cwd()): Connection {
  return find(DECISION_API, flags, env, cwd);
}

/** Like `findConnection`, for GraphQL with an admin token: TOLLGATE_GRAPHQL_URL and TOLLGATE_ADMIN_TOKEN. */
export function findControlConnection(flags: Flags, env = process.env, cwd = process.cwd()): Connection {
  return find(GRAPHQL_API, flags, env, cwd);
}

function find(source: Source, flags: Flags, env: NodeJS.ProcessEnv, cwd: string): Connection {
  const url = flags.url ?? env[source.urlVariable];
  const token = flags.token ?? env[source.tokenVariable];
  if (url === undefined) {
    const dev = readDevFile(findDevFile(env.TOLLGATE_HOME || '.tollgate', cwd, source), source.devSchema);
    return { url: dev.url, token: token ?? dev.token };
  }
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    const origin = flags.url === undefined ? `${source.urlVariable}: the` : 'The';
    throw new CommandError(`${origin} address ${JSON.stringify(url)} is not an http:// or https:// one.`);
  }
  if (token === undefined) {
    throw new CommandError(
      `A custom address requires ${source.tokenKind}: pass --token or set ${source.tokenVariable}.`,
    );
  }
  return { url, token };
}

/** Searches this folder and its parents. */
function findDevFile(home: string, cwd: string, { urlVariable, tokenVariable }: Source): string {
  const folders = [cwd];
  for (let folder = cwd; folder !== path.dirname(folder); ) {
    folder = path.dirname(folder);
    folders.push(folder);
  }
  const files = folders.map((folder) => path.resolve(folder, home, 'dev.json'));
  const found = files.find((file) => existsSync(file));
  if (found !== undefined) return found;
  throw new CommandError(
    `No running Tollgate found: ${path.join(home, 'dev.json')} does not exist here or in a parent folder. Start one with \`npm start\`, or pass --url and --token (variables ${urlVariable} and ${tokenVariable}).`,
  );
}

function readDevFile<T>(file: string, schema: z.ZodType<T>): T {
  try {
    return schema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    throw new CommandError(`${file} cannot be used: ${reasonOf(error)}.`, { cause: error });
  }
}

// Omits the parser's message, which may quote the token.
function reasonOf(error: unknown): string {
  if (error instanceof SyntaxError) return 'it is not JSON';
  if (error instanceof z.ZodError) return 'an address or a token is missing in it';
  return error instanceof Error ? error.message : String(error);
}
