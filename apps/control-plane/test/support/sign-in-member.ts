import type { MemberRole } from '@tollgate/database';
import { newId } from '../../src/platform/ids.js';
import type { TestApp } from './test-app.js';

/** Headers of a new signed-in member of a tenant. */
export async function signInMember(
  app: TestApp,
  tenantKey: string,
  role: MemberRole,
): Promise<Record<string, string>> {
  const known = new Set((await app.database.user.findMany()).map(({ id }) => id));
  const headers = await app.signIn('VIEWER');
  const user = (await app.database.user.findMany()).find(({ id }) => !known.has(id));
  const tenant = await app.database.tenant.findUniqueOrThrow({ where: { key: tenantKey } });
  if (user === undefined) throw new Error('Nobody has signed in');
  await app.database.user.update({ where: { id: user.id }, data: { role: null } });
  const { email, name } = user;
  await app.database.member.create({
    data: { id: newId('member'), tenantId: tenant.id, userId: user.id, email, name, role },
  });
  return headers;
}
