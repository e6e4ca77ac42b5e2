import { codeBlocksOf } from './readme-examples.js';

const DOCUMENT = new URL('../../../docs/operate/redis.md', import.meta.url);

/** A client of ioredis that may run ACL. */
interface Admin {
  call(command: string, ...args: string[]): Promise<unknown>;
  options: { host?: string | undefined; port?: number | undefined };
}

/** Lines of an ACL file with the users of docs/operate/redis.md. */
export function documentedUsers(): string[] {
  const lines = codeBlocksOf(DOCUMENT, 'acl').join('').trim().split('\n');
  return lines.map((line) => line.replace('ACL SETUSER', 'user'));
}

/** Creates the documented users on a server. @returns the server's address for a user */
export async function createDocumentedUsers(admin: Admin): Promise<(user: string) => string> {
  for (const line of documentedUsers()) await admin.call('ACL', 'SETUSER', ...line.split(' ').slice(1));
  const { host, port } = admin.options;
  return (user) => `redis://${user}:change-me@${host}:${port}`;
}

/**
 * Checks a server as a documented user, with each of `commands` denied in turn.
 * @returns commands whose denial no message names
 */
export async function findUnnamedRefusals(
  admin: Admin,
  user: string,
  commands: readonly string[],
  check: (url: string) => Promise<readonly { severity: string; message: string }[]>,
): Promise<string[]> {
  const urlAs = await createDocumentedUsers(admin);
  const complete = await check(urlAs(user));
  const unnamed = complete.filter(({ severity }) => severity === 'error').map(({ message }) => message);
  for (const command of new Set(commands.map(nameOf))) {
    await admin.call('ACL', 'SETUSER', user, `-${command.toLowerCase()}`);
    const named = `user ${user} may not run ${command}: ACL SETUSER ${user} +${command.toLowerCase()}`;
    const found = await check(urlAs(user));
    if (!found.some(({ severity, message }) => severity === 'error' && message === named))
      unnamed.push(command);
    await admin.call('ACL', 'SETUSER', user, `+${command.toLowerCase()}`);
  }
  return unnamed;
}

function nameOf(command: string): string {
  const [name = '', first] = command.split(' ');
  return ['SCRIPT', 'XINFO'].includes(name) ? `${name}|${first}` : name;
}
