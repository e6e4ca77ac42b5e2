import { randomBytes } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { newSigningKey, publicKeyOf } from '@tollgate/policy';

const random = () => randomBytes(32).toString('base64url');
const loginUrl = (user: string, password: string) =>
  `postgresql://${user}:${password}@postgres:5432/tollgate`;

function newRedis(name: string, host: string): Record<string, string> {
  const password = random();
  return { [`${name}_PASSWORD`]: password, [`${name}_URL`]: `redis://:${password}@${host}:6379` };
}

/** Secrets of an installation and addresses in Compose by variable; groups of values that belong together. Empty: not set. */
function newSecrets(): Readonly<Record<string, string>>[] {
  const signingKey = newSigningKey();
  const ownerPassword = random();
  return [
    { SESSION_SECRET: random() },
    { ENCRYPTION_SECRETS: `a:${random()}` },
    { AUDIT_KEY: random() },
    { DATABASE_SCOPE_SECRETS: random() },
    { TOKEN_PEPPER: random() },
    { POLICY_SIGNING_KEY: signingKey, POLICY_PUBLIC_KEYS: publicKeyOf(signingKey) },
    { POSTGRES_PASSWORD: ownerPassword, DATABASE_MIGRATION_URL: loginUrl('tollgate', ownerPassword) },
    { DATABASE_URL: loginUrl('tollgate_control_plane', random()) },
    newRedis('REDIS_CONFIG', 'policy'),
    newRedis('REDIS_COUNTERS', 'counters'),
    { ADMIN_PASSWORD: randomBytes(15).toString('base64url') },
    { SMTP_URL: '' },
    { STRIPE_SECRET_KEY: '' },
    { STRIPE_WEBHOOK_SECRET: '' },
    { TOKEN_PEPPERS_OLD: '' },
    { USAGE_EXPORT_URL: '' },
  ];
}

/** Writes the missing files, one per variable; existing ones and their group stay. Returns the written names. */
export function writeMissingSecrets(folder: string): string[] {
  const missing = newSecrets().filter(
    (group) => !Object.keys(group).some((name) => existsSync(path.join(folder, name))),
  );
  return missing.flatMap((group) =>
    Object.entries(group).map(([name, value]) => {
      // Containers run as another user: the folder is private, not the files.
      writeFileSync(path.join(folder, name), value === '' ? '' : `${value}\n`, { mode: 0o644, flag: 'wx' });
      return name;
    }),
  );
}
