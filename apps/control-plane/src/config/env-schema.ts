import { textReadBy, tierKeySchema } from '@tollgate/contracts';
import { allowInsecureSchema, INSECURE_SETTINGS } from '@tollgate/contracts/insecure-settings';
import { parseOldPeppers } from '@tollgate/contracts/service-token';
import { isSealKey, parseCountersUrl } from '@tollgate/decision-plane/internals';
import ipaddr from 'ipaddr.js';
import * as z from 'zod';
import { paymentVariables } from './payment-variables.js';

const url = (what: string, protocols: string[]) =>
  z
    .string()
    .refine((value) => URL.canParse(value) && protocols.includes(new URL(value).protocol), `must be ${what}`);

const databaseUrl = url('a postgresql:// address', ['postgresql:', 'postgres:']);
const scopeSecrets = z
  .string()
  .transform((text) => text.split(',').map((part) => part.trim()))
  .refine(
    (parts) => parts.every((part) => part.length >= 32),
    'must be secrets of at least 32 characters, separated by commas',
  );
const redisUrl = url('a redis:// or rediss:// address', ['redis:', 'rediss:']);
const countersUrl = textReadBy((text) => {
  parseCountersUrl(text);
  return text;
});
const oldPeppers = textReadBy(parseOldPeppers).optional();
const secret = z.string().min(32, 'must have at least 32 characters');
const signingKey = z
  .string()
  .refine(isSealKey, 'must be 32 bytes in base64url, as `openssl rand 32 | basenc --base64url`');
const encryptionSecrets = z
  .string()
  .transform((text) => text.split(',').map((part) => part.trim()))
  .refine(
    (parts) => parts.every((part) => /^[a-z0-9]{1,16}:.{32,}$/.test(part)),
    'must be id:secret, several separated by commas; each secret has at least 32 characters',
  )
  .transform((parts) =>
    parts.map((part) => ({
      id: part.slice(0, part.indexOf(':')),
      secret: part.slice(part.indexOf(':') + 1),
    })),
  );
const networks = z
  .string()
  .transform((text) => text.split(',').map((part) => part.trim()))
  .refine(
    (parts) => parts.every((part) => ipaddr.isValidCIDR(part)),
    'must be networks such as 10.0.0.0/8, separated by commas',
  );
const flag = z.enum(['true', 'false']).transform((value) => value === 'true');
const count = (min: number, max: number) =>
  z.coerce.number({ error: 'must be a number' }).int('must be a whole number').min(min).max(max);

/**
 * All variables of the control plane; `.env.example` is generated from them. Each has a description; secrets have no
 * default.
 */
export const envSchema = z.object({
  DATABASE_URL: databaseUrl.meta({
    description:
      'Postgres, as postgresql://user:password@host:5432/tollgate. A login without SUPERUSER and BYPASSRLS that owns no table; setup creates it.',
  }),
  DATABASE_MAX_CONNECTIONS: count(2, 200).default(10).meta({
    description: 'Connections that this process keeps to Postgres at most.',
  }),
  DATABASE_SCOPE_SECRETS: scopeSecrets.optional().meta({
    description:
      'Sign whose rows a transaction may see, separated by commas; the first signs, all are accepted. Run setup after a change. Required in production. Left out: SESSION_SECRET.',
  }),
  REDIS_CONFIG_URL: redisUrl.meta({
    description: 'Redis for jobs, policy and the usage stream: noeviction, with AOF. As redis://host:6379.',
  }),
  REDIS_CONFIG_DURABILITY: z.enum(['required', 'best-effort']).default('required').meta({
    description:
      'required: refuses to start where that Redis keeps no append-only file. best-effort: warns; for development.',
  }),
  REDIS_COUNTERS_URL: countersUrl.optional().meta({
    description: 'Redis for counters, as the decision API has it. Left out: the same as REDIS_CONFIG_URL.',
  }),
  HOST: z.string().min(1).default('127.0.0.1').meta({ description: 'Address to listen on.' }),
  PORT: count(0, 65_535).default(4000).meta({ description: 'Port to listen on.' }),
  PUBLIC_URL: url('an http:// or https:// address', ['http:', 'https:']).optional().meta({
    description:
      'Where browsers reach the console. Left out: http://HOST:PORT. A host that is not loopback makes this a production installation: insecure settings are refused. With https, cookies are __Host- ones.',
  }),
  ALLOW_INSECURE: allowInsecureSchema.optional().meta({
    description: `Insecure settings to accept in production, separated by commas: ${INSECURE_SETTINGS.join(', ')}. Each one is logged as a warning at start.`,
  }),
  DECISION_URL: url('an http:// or https:// address', ['http:', 'https:']).optional().meta({
    description:
      'Where services and tenants reach the decision API, for the examples in the console. Left out: the examples have a placeholder.',
  }),
  TRUSTED_PROXY_HOPS: count(0, 10).default(0).meta({
    description:
      'Number of reverse proxies in front: the client is the X-Forwarded-For entry that many places from the right. See README.',
  }),
  SESSION_SECRET: secret.meta({
    description: 'Signs session cookies. At least 32 random characters, as `openssl rand -base64 32`.',
  }),
  TOKEN_PEPPER: secret.meta({
    description:
      'Keys the hashes of service tokens. The decision API must have the same. At least 32 characters.',
  }),
  TOKEN_PEPPER_VERSION: count(1, 1_000_000).default(1).meta({
    description: 'Number of TOKEN_PEPPER: raise it when TOKEN_PEPPER changes, and keep the one before.',
  }),
  TOKEN_PEPPERS_OLD: oldPeppers.meta({
    description:
      'Earlier peppers whose tokens still work, as 2:<secret>,1:<secret>. The decision API must have the same.',
  }),
  POLICY_SIGNING_KEY: signingKey.optional().meta({
    description:
      'Ed25519 key that policy is sealed with: 32 random bytes, base64url. Nodes have its public key, see README. Left out: unsigned.',
  }),
  ENCRYPTION_SECRETS: encryptionSecrets.optional().meta({
    description:
      'Seals secrets that have to be read again, as id:secret; the first seals, all open. Required in production. Left out: session:SESSION_SECRET.',
  }),
  MAIL_TRANSPORT: z.enum(['none', 'mailbox', 'smtp']).default('none').meta({
    description:
      'smtp: sends mail through SMTP_URL. mailbox: keeps it, to be read at /mailbox by owners; for development, refused unless PUBLIC_URL is on loopback.',
  }),
  SMTP_URL: url('an smtp:// or smtps:// address', ['smtp:', 'smtps:']).optional().meta({
    description: 'Mail server, as smtps://user:password@host:465. Needed with MAIL_TRANSPORT=smtp.',
  }),
  MAIL_FROM: z.string().min(3).max(200).default('Tollgate <tollgate@localhost>').meta({
    description: 'Sender of mail.',
  }),
  WEBHOOK_ALLOWED_NETWORKS: networks.optional().meta({
    description:
      'Networks that outgoing events may reach besides public addresses, also by http. For development. Names are resolved by DNS, without the hosts file.',
  }),
  CHANGE_SET_APPROVAL: z.enum(['none', 'required']).default('none').meta({
    description: 'required: a second person has to approve a change set before it is applied.',
  }),
  AUDIT_KEY: secret.optional().meta({
    description:
      'Signs how far the audit trail has come. Required in production. Left out: SESSION_SECRET. At least 32 characters.',
  }),
  AUDIT_HEADS_FILE: z.string().min(1).optional().meta({
    description:
      'File that signed heads of the audit trail are appended to, best on another machine. Left out: they are in Redis alone.',
  }),
  WEBHOOK_TIMEOUT_MS: count(100, 30_000).default(15_000).meta({
    description:
      'How long an attempt to deliver an outgoing event may take, from resolving the name to the head of the response.',
  }),
  ...paymentVariables,
  SIGN_UP_TIER: tierKeySchema.optional().meta({
    description: 'Key of the tier of tenants created by sign-up. Left out: sign-up is disabled.',
  }),
  WORKER: z.enum(['inline', 'separate']).default('inline').meta({
    description: 'inline: this process publishes policy itself. separate: worker.js does.',
  }),
  USAGE_MINUTE_KEEP_HOURS: count(1, 720).default(48).meta({
    description: 'How long usage is kept by minute.',
  }),
  USAGE_HOUR_KEEP_DAYS: count(2, 1100).default(90).meta({
    description: 'How long usage is kept by hour.',
  }),
  USAGE_DAY_KEEP_DAYS: count(35, 36_500).default(1096).meta({
    description: 'How long usage is kept by day.',
  }),
  DECISION_SAMPLE_KEEP_DAYS: count(1, 90).default(7).meta({
    description: 'How long sampled decisions are kept.',
  }),
  DECISION_SAMPLE_MAX_ROWS: count(1000, 100_000_000).default(200_000).meta({
    description:
      'Maximum number of stored sampled decisions; at most 1.2 kB each in Postgres with indexes (1,048 bytes measured with two limits and two identifiers), so 240 MB by default. Enforced every minute: between two runs, each node adds up to 60 times SAMPLE_ALLOWED_PER_SECOND + SAMPLE_DENIED_PER_SECOND.',
  }),
  CONSOLE_DIR: z.string().min(1).optional().meta({
    description: 'Folder of the built console. Left out: no console is served.',
  }),
  GRAPHQL_INTROSPECTION: flag
    .default(false)
    .meta({ description: 'Answers schema queries; for development.' }),
  GRAPHQL_POINTS_PER_SECOND: count(50, 1_000_000).default(1000).meta({
    description:
      "Query points that an operator or service token regains per second in GraphQL; a tenant's member gets a fifth.",
  }),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info').meta({
    description: 'Least severe log line that is written.',
  }),
});

export const setupEnvSchema = envSchema.extend({
  DATABASE_MIGRATION_URL: databaseUrl.optional().meta({
    description:
      'Postgres login that owns the tables and runs migrations, connected directly (no pooler). Left out: DATABASE_URL; for development.',
  }),
  SETUP_STATE_FILE: z.string().min(1).meta({
    description:
      'JSON file that tells set-up the admin and that set-up writes tokens and the sign-in link to.',
  }),
  DEMO_SEED: flag.default(false).meta({ description: 'Creates demo APIs, tiers and tenants.' }),
});
