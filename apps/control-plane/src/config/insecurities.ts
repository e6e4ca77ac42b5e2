import {
  findEqualSecrets,
  type Insecurity,
  isLoopbackHost,
  secretWeakness,
} from '@tollgate/contracts/insecure-settings';
import type * as z from 'zod';
import type { envSchema } from './env-schema.js';

/** The parsed environment; missing and invalid variables are undefined. */
type Env = Partial<z.output<typeof envSchema>>;

/** Sealed text made before `ENCRYPTION_SECRETS` was set names this id and opens under `SESSION_SECRET`. */
export const SESSION_SEAL_ID = 'session';

export function publicUrl({ PUBLIC_URL, HOST = '127.0.0.1', PORT = 0 }: Env): URL {
  return new URL(PUBLIC_URL ?? `http://${HOST.includes(':') ? `[${HOST}]` : HOST}:${PORT}`);
}

/** An installation is in production if its PUBLIC_URL is not loopback. */
export function isProduction(env: Env): boolean {
  return !isLoopbackHost(publicUrl(env).hostname);
}

/** Insecure settings, which production refuses unless `ALLOW_INSECURE` names them. Empty on loopback. */
export function findInsecurities(env: Env): Insecurity[] {
  if (!isProduction(env)) return [];
  return [
    ...weakSecrets(env),
    ...sharedSecrets(env),
    ...plainHttp(env),
    ...testPayments(env),
    ...unsigned(env),
  ];
}

/** Problems that production refuses always. */
export function findRefusals(env: Env): string[] {
  if (env.MAIL_TRANSPORT !== 'mailbox' || !isProduction(env)) return [];
  return [
    'MAIL_TRANSPORT=mailbox shows sign-in links and requires a PUBLIC_URL on loopback, such as http://127.0.0.1:4000. Use MAIL_TRANSPORT=smtp',
  ];
}

function weakSecrets(env: Env): Insecurity[] {
  return secretsOf(env).flatMap(([name, secret]) => {
    const weakness = secretWeakness(secret);
    return weakness === undefined ? [] : [{ setting: 'weak-secrets', problem: `${name} ${weakness}` }];
  });
}

function sharedSecrets(env: Env): Insecurity[] {
  const missing = (['ENCRYPTION_SECRETS', 'AUDIT_KEY', 'DATABASE_SCOPE_SECRETS'] as const)
    .filter((name) => env[name] === undefined)
    .map((name) => `${name} is not set: SESSION_SECRET would be used instead`);
  const equal = findEqualSecrets(secretsOf(env)).map((names) => `${names} are equal`);
  return [...missing, ...equal].map((problem) => ({ setting: 'shared-secrets', problem }));
}

function plainHttp(env: Env): Insecurity[] {
  const addresses = [
    ['PUBLIC_URL', publicUrl(env)],
    ['STRIPE_API_BASE', env.STRIPE_API_BASE === undefined ? undefined : new URL(env.STRIPE_API_BASE)],
  ] as const;
  return addresses
    .filter(([, url]) => url?.protocol === 'http:' && !isLoopbackHost(url.hostname))
    .map(([name]) => ({ setting: 'plain-http', problem: `${name} is an http:// address` }));
}

function testPayments(env: Env): Insecurity[] {
  if (!env.PAYMENT_TEST_ENABLED) return [];
  return [{ setting: 'test-payments', problem: 'PAYMENT_TEST_ENABLED is true' }];
}

function unsigned(env: Env): Insecurity[] {
  if (env.POLICY_SIGNING_KEY !== undefined) return [];
  return [{ setting: 'unsigned-policy', problem: 'POLICY_SIGNING_KEY is not set' }];
}

function secretsOf(env: Env): [name: string, secret: string][] {
  const named = (name: string, secrets: Iterable<string | undefined>) =>
    [...secrets].flatMap((secret) => (secret === undefined ? [] : [[name, secret] as [string, string]]));
  return [
    ...named('SESSION_SECRET', [env.SESSION_SECRET]),
    ...named('TOKEN_PEPPER', [env.TOKEN_PEPPER]),
    ...named('TOKEN_PEPPERS_OLD', env.TOKEN_PEPPERS_OLD?.values() ?? []),
    ...named(
      'ENCRYPTION_SECRETS',
      (env.ENCRYPTION_SECRETS ?? [])
        // After the first entry, this id only opens text that was sealed before ENCRYPTION_SECRETS was set.
        .filter(({ id }, index) => index === 0 || id !== SESSION_SEAL_ID)
        .map(({ secret }) => secret),
    ),
    ...named('AUDIT_KEY', [env.AUDIT_KEY]),
    ...named('DATABASE_SCOPE_SECRETS', env.DATABASE_SCOPE_SECRETS ?? []),
    ...named('POLICY_SIGNING_KEY', [env.POLICY_SIGNING_KEY]),
  ];
}
