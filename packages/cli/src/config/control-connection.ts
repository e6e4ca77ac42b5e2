import * as z from 'zod';
import { CommandError } from './command-error.js';
import { findDevFile, readDevFields } from './connection.js';

/** Where GraphQL is and what opens it. */
export interface ControlConnection {
  url: string;
  token: string;
}

const devFields = z.object({ graphqlUrl: z.url(), adminToken: z.string().min(1) });

/**
 * GraphQL's address and an admin token: flags first, then TOLLGATE_GRAPHQL_URL and TOLLGATE_ADMIN_TOKEN, then what a copy
 * started with `npm start` wrote to its `dev.json`. The token of that file goes to the address of that file and to no other.
 * @throws CommandError that says what to give
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
      'With an address of your own, give a service token that may administer too: --token, or better TOLLGATE_ADMIN_TOKEN.',
    );
  }
  return { url, token };
}
