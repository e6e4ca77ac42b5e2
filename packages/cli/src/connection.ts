import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';

/** The command failed: wrong usage or no connection. The message is for the user; exit code 2. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

/** Address and token of the decision API. */
export interface Connection {
  url: string;
  token: string;
}

interface Flags {
  url?: string | undefined;
  token?: string | undefined;
}

const devFileSchema = z.object({ decisionUrl: z.url(), serviceToken: z.string().min(1) });

const REPOSITORY = fileURLToPath(new URL('../../..', import.meta.url));

/**
 * Returns address and token from flags, else TOLLGATE_URL and TOLLGATE_TOKEN, else the `dev.json` of an instance
 * started with `npm start`. The token of that file is only sent to the address of that file.
 * @throws CommandError with advice
 */
export function findConnection(flags: Flags, env = process.env, cwd = process.cwd()): Connection {
  const url = flags.url ?? env.TOLLGATE_URL;
  const token = flags.token ?? env.TOLLGATE_TOKEN;
  if (url === undefined) {
    const dev = readDevFile(findDevFile(env.TOLLGATE_HOME || '.tollgate', cwd));
    return { url: dev.decisionUrl, token: token ?? dev.serviceToken };
  }
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new CommandError(`The address ${JSON.stringify(url)} is not an http:// or https:// one.`);
  }
  if (token === undefined) {
    throw new CommandError(
      'A custom address requires its service token: pass --token or set TOLLGATE_TOKEN.',
    );
  }
  return { url, token };
}

/** `dev.json` of the copy that runs in this folder, one above it, or the repository that this command is from. */
export function findDevFile(home: string, cwd: string): string {
  const folders = [cwd];
  for (let folder = cwd; folder !== path.dirname(folder); ) {
    folder = path.dirname(folder);
    folders.push(folder);
  }
  const files = [...folders, REPOSITORY].map((folder) => path.resolve(folder, home, 'dev.json'));
  const found = files.find((file) => existsSync(file));
  if (found !== undefined) return found;
  throw new CommandError(
    `No running Tollgate found: ${path.join(home, 'dev.json')} does not exist here or in a parent folder. Start one with \`npm start\`, or pass --url and --token (TOLLGATE_URL, TOLLGATE_TOKEN).`,
  );
}

function readDevFile(file: string): z.infer<typeof devFileSchema> {
  return readDevFields(file, devFileSchema);
}

/** Reads fields of a `dev.json`. @throws CommandError without file contents */
export function readDevFields<T>(file: string, schema: z.ZodType<T>): T {
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

/** Address and token of the GraphQL API. */
export interface ControlConnection {
  url: string;
  token: string;
}

const devFields = z.object({ graphqlUrl: z.url(), adminToken: z.string().min(1) });

/**
 * Returns the GraphQL address and an admin token from flags, else TOLLGATE_GRAPHQL_URL and TOLLGATE_ADMIN_TOKEN, else
 * the `dev.json` of an instance started with `npm start`. The token of that file is only sent to the address of that
 * file.
 * @throws CommandError with advice
 */
export function findControlConnection(
  flags: { url?: string | undefined; token?: string | undefined },
  env = process.env,
  cwd = process.cwd(),
): ControlConnection {
  const url = flags.url ?? env.TOLLGATE_GRAPHQL_URL;
  const token = flags.token ?? env.TOLLGATE_ADMIN_TOKEN;
  if (url === undefined) {
    const dev = readDevFields(findDevFile(env.TOLLGATE_HOME || '.tollgate', cwd), devFields);
    return { url: dev.graphqlUrl, token: token ?? dev.adminToken };
  }
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new CommandError(`The address ${JSON.stringify(url)} is not an http:// or https:// one.`);
  if (token === undefined) {
    throw new CommandError(
      'A custom address requires a service token with the admin scope: pass --token or set TOLLGATE_ADMIN_TOKEN.',
    );
  }
  return { url, token };
}
