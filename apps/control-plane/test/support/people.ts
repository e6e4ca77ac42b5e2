import type { MemberRole, OperatorRole } from '@tollgate/database';
import { hashPassword } from '../../src/features/identity/auth/users.repository.js';
import { newId } from '../../src/platform/ids.js';
import { cookieOf, ORIGIN, PASSWORD, type TestApp } from './test-app.js';

export interface Person {
  id: string;
  email: string;
  /** Headers of the person's session. */
  headers: Record<string, string>;
}

/** Signs in a new person with these roles. */
export async function signInPerson(
  app: TestApp,
  { role = null, members = {} }: { role?: OperatorRole | null; members?: Record<string, MemberRole> },
): Promise<Person> {
  const id = newId('user');
  const email = `${id}@example.com`;
  const password = await hashPassword(PASSWORD, app.config.passwordCost);
  const account = { id: newId('account'), accountId: id, providerId: 'credential', password };
  await app.database.user.create({
    data: { id, email, name: 'Somebody', role, emailVerified: true, accounts: { create: account } },
  });
  for (const [key, role] of Object.entries(members)) {
    const member = { id: newId('member'), email, name: 'Somebody', role, user: { connect: { id } } };
    await app.database.tenant.update({ where: { key }, data: { members: { create: member } } });
  }
  return { id, email, headers: await signInAgain(app, email) };
}

/** Starts another session of a person. */
export async function signInAgain(app: TestApp, email: string): Promise<Record<string, string>> {
  const response = await fetch(`${app.url}/api/auth/sign-in/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: ORIGIN },
    body: JSON.stringify({ email, password: PASSWORD }),
  });
  return { cookie: cookieOf(response), origin: ORIGIN };
}
