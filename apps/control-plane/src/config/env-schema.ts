import { textReadBy, tierKeySchema } from '@tollgate/contracts';
import { tracingVariable, wholeNumber } from '@tollgate/contracts/environment';
import { allowInsecureSchema, INSECURE_SETTINGS } from '@tollgate/contracts/insecure-settings';
import { parseOldPeppers } from '@tollgate/contracts/service-token';
import { checkConfigRedisUrl, checkRedisUrl } from '@tollgate/limiter/stores';
import { isSealKey } from '@tollgate/policy';
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
const configUrl = textReadBy(checkConfigRedisUrl);
const countersUrl = textReadBy(checkRedisUrl);
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

/**
 * All variables of the control plane; `pnpm codegen` writes docs/operate/configuration.md from them. Each has a description; secrets have no
 * default.
 */
export const envSchema = z.object({
  DATABASE_URL: databaseUrl.meta({
    secret: true,
    description:
      'Postgres, as postgresql://user:password@host:5432/tollgate. A login without SUPERUSER and BYPASSRLS that owns no table; setup creates it.',
  }),
  DATABASE_MAX_CONNECTIONS: wholeNumber(6, 200).default(10).meta({
    description:
      'Maximum number of Postgres connections of this process. Below 6, jobs of the worker would wait for each other.',
  }),
  DATABASE_SCOPE_SECRETS: scopeSecrets.optional().meta({
    secret: true,
    description:
      'Secrets that sign the row-level-security scope of transactions, separated by commas: the first signs, all verify. Run setup after a change. Required in production. Default: SESSION_SECRET.',
  }),
  REDIS_CONFIG_URL: configUrl.meta({
    secret: true,
    description:
      'Redis for jobs, policy and the usage stream, as redis://host:6379 or Sentinels; see [redis.md](redis.md). Requires maxmemory-policy noeviction and AOF.',
  }),
  REDIS_CONFIG_DURABILITY: z.enum(['required', 'managed', 'best-effort']).default('required').meta({
    description:
      'required: the process does not start if AOF is disabled in the config Redis. managed: a provider keeps the data by other means, AOF is not checked. best-effort: logs a warning; for development.',
  }),
  REDIS_COUNTERS_URL: countersUrl.optional().meta({
    secret: true,
    description: 'Redis for counters. Must be the same as in the decision API. Default: REDIS_CONFIG_URL.',
  }),
  HOST: z.string().min(1).default('127.0.0.1').meta({ description: 'Address to listen on.' }),
  PORT: wholeNumber(0, 65_535).default(4000).meta({ description: 'Port to listen on.' }),
  METRICS_PORT: wholeNumber(0, 65_535).optional().meta({
    description:
      'Port of `/metrics`, `/healthz` and `/readyz`, without a token, for Prometheus and the probes of the worker; 0: any free port; unset: not served.',
  }),
  METRICS_HOST: z.string().min(1).default('127.0.0.1').meta({
    description: 'Address of that port. Keep it away from callers: loopback, or a network of the operator.',
  }),
  TRACING: tracingVariable('.'),
  DRAIN_NOTICE_MS: wholeNumber(0, 60_000).default(0).meta({
    description:
      'How long `/readyz` fails after a stop signal before the port is closed, in milliseconds. Images set 6000.',
  }),
  PUBLIC_URL: url('an http:// or https:// address', ['http:', 'https:']).optional().meta({
    description:
      'URL of the console for browsers. Default: http://HOST:PORT. If the host is not loopback, this is a production installation and insecure settings are rejected. With https, cookies have the __Host- prefix.',
  }),
  ALLOW_INSECURE: allowInsecureSchema.optional().meta({
    description: `Insecure settings to allow in production, separated by commas: ${INSECURE_SETTINGS.join(', ')}. Each one is logged as a warning at startup.`,
  }),
  DECISION_URL: url('an http:// or https:// address', ['http:', 'https:']).optional().meta({
    description:
      'URL of the decision API for services and tenants, shown in console examples. Default: a placeholder.',
  }),
  DECISION_INTERNAL_URL: url('an http:// or https:// address', ['http:', 'https:']).optional().meta({
    description: 'URL of the decision API for the test requests of the console. Default: DECISION_URL.',
  }),
  DECISION_TOKEN: z.string().regex(/^tga_/, 'must be a service token').optional().meta({
    secret: true,
    description:
      'Service token with the scope decide, for the test requests of the console. Default: no test requests.',
  }),
  TRUSTED_PROXY_HOPS: wholeNumber(0, 10).default(0).meta({
    description:
      'Number of trusted reverse proxies: with N, the client address is the Nth X-Forwarded-For entry from the right.',
  }),
  SESSION_SECRET: secret.meta({
    secret: true,
    description:
      'Signs session cookies. At least 32 random characters; generate with `openssl rand -base64 32`.',
  }),
  TOKEN_PEPPER: secret.meta({
    secret: true,
    description:
      'HMAC key for the stored hashes of service tokens and API keys. Must be the same in the decision API. At least 32 characters.',
  }),
  TOKEN_PEPPER_VERSION: wholeNumber(1, 1_000_000).default(1).meta({
    description:
      'Version of TOKEN_PEPPER. When TOKEN_PEPPER changes, increment it and add the previous pepper to TOKEN_PEPPERS_OLD.',
  }),
  TOKEN_PEPPERS_OLD: oldPeppers.meta({
    secret: true,
    description:
      'Previous peppers whose tokens remain valid, as 2:<secret>,1:<secret>. Must be the same in the decision API.',
  }),
  POLICY_SIGNING_KEY: signingKey.optional().meta({
    secret: true,
    description:
      'Ed25519 private key that signs policy: 32 random bytes, base64url. Nodes need the public key. Default: policy is not signed.',
  }),
  ENCRYPTION_SECRETS: encryptionSecrets.optional().meta({
    secret: true,
    description:
      'Encrypt stored secrets that must stay readable, as id:secret, separated by commas: the first encrypts, all decrypt. Required in production. Default: session:SESSION_SECRET.',
  }),
  MAIL_TRANSPORT: z.enum(['none', 'mailbox', 'smtp']).default('none').meta({
    description:
      'smtp: sends mail through SMTP_URL. mailbox: stores mail, which owners can read at /mailbox; for development, rejected unless PUBLIC_URL is on loopback. none: sends no mail.',
  }),
  SMTP_URL: url('an smtp:// or smtps:// address', ['smtp:', 'smtps:']).optional().meta({
    secret: true,
    description: 'Mail server, as smtps://user:password@host:465. Required with MAIL_TRANSPORT=smtp.',
  }),
  MAIL_FROM: z.string().min(3).max(200).default('Tollgate <tollgate@localhost>').meta({
    description: 'Sender address of mail.',
  }),
  WEBHOOK_ALLOWED_NETWORKS: networks.optional().meta({
    description:
      'Networks that webhook endpoints may use in addition to public addresses, also over http. For development. Host names are resolved by DNS, without the hosts file.',
  }),
  CHANGE_SET_APPROVAL: z.enum(['none', 'required']).default('none').meta({
    description: 'required: a second person must approve a change set before it can be applied.',
  }),
  AUDIT_KEY: secret.optional().meta({
    secret: true,
    description:
      'Signs the heads of the audit trail (last position and hash). Required in production. Default: SESSION_SECRET. At least 32 characters.',
  }),
  AUDIT_HEADS_FILE: z.string().min(1).optional().meta({
    description:
      'File to append signed heads of the audit trail to, preferably on another machine. Default: heads are stored only in Redis.',
  }),
  WEBHOOK_TIMEOUT_MS: wholeNumber(100, 30_000).default(15_000).meta({
    description:
      'Timeout of a webhook delivery attempt in milliseconds, from name resolution to the response headers.',
  }),
  ...paymentVariables,
  SIGN_UP_TIER: tierKeySchema.optional().meta({
    description: 'Key of the tier of tenants created by sign-up. Default: sign-up is disabled.',
  }),
  UNDO_SECONDS: wholeNumber(5, 86_400).default(30).meta({
    description: 'How long the console offers to undo a change after it is live, in seconds.',
  }),
  WORKER: z.enum(['inline', 'separate']).default('inline').meta({
    description:
      'inline: this process also runs the worker. separate: the worker runs as its own process, worker.js.',
  }),
  USAGE_MINUTE_KEEP_HOURS: wholeNumber(1, 720).default(48).meta({
    description: 'Retention of usage per minute, in hours.',
  }),
  USAGE_HOUR_KEEP_DAYS: wholeNumber(2, 1100).default(90).meta({
    description: 'Retention of usage per hour, in days.',
  }),
  USAGE_DAY_KEEP_DAYS: wholeNumber(35, 36_500).default(1096).meta({
    description: 'Retention of usage per day, in days.',
  }),
  DECISION_SAMPLE_KEEP_DAYS: wholeNumber(1, 90).default(7).meta({
    description: 'Retention of sampled decisions, in days.',
  }),
  DECISION_SAMPLE_MAX_ROWS: wholeNumber(1000, 100_000_000).default(200_000).meta({
    description:
      'Maximum number of stored sampled decisions; at most 1.2 kB each in Postgres with indexes (1,048 bytes measured with two limits and two identifiers), so 240 MB by default. Enforced every minute: between two runs, each node adds up to 60 times SAMPLE_ALLOWED_PER_SECOND + SAMPLE_DENIED_PER_SECOND.',
  }),
  TRAFFIC_KEEP_HOURS: wholeNumber(0, 720).default(24).meta({
    description:
      'Retention of [recorded traffic](traffic.md), in hours; 0: recorded traffic of nodes is discarded, and stored traffic deleted.',
  }),
  TRAFFIC_TENANT_MEGABYTES: wholeNumber(1, 1_000_000).default(256).meta({
    description:
      'Maximum size of the recorded traffic of a tenant, about 200,000 decisions per megabyte; the oldest is deleted first.',
  }),
  TRAFFIC_TOTAL_MEGABYTES: wholeNumber(1, 10_000_000).default(2048).meta({
    description: 'Maximum size of all recorded traffic; the oldest is deleted first.',
  }),
  USAGE_EXPORT_URL: url('an http:// or https:// address', ['http:', 'https:']).optional().meta({
    secret: true,
    description:
      'ClickHouse to which the worker exports usage frames, as https://user:password@host:8443/database; see [usage-export.md](usage-export.md). Default: no export.',
  }),
  USAGE_EXPORT_TABLE: z
    .string()
    .regex(/^[A-Za-z_]\w{0,63}(\.[A-Za-z_]\w{0,63})?$/, 'must be a table, as usage_frames or database.table')
    .default('usage_frames')
    .meta({ description: 'ClickHouse table of exported usage frames.' }),
  CONSOLE_DIR: z.string().min(1).optional().meta({
    description: 'Folder of the built console. Default: no console is served.',
  }),
  GRAPHQL_INTROSPECTION: flag.default(false).meta({
    description:
      'Enables GraphQL introspection for everybody, for development; otherwise it requires a service token with the scope admin.',
  }),
  GRAPHQL_POINTS_PER_SECOND: wholeNumber(50, 1_000_000).default(1000).meta({
    description:
      'GraphQL query points per second for an operator or service token; a tenant member gets a fifth.',
  }),
  // A page of the console sends ten, and requests that wait for a locked table must leave room for others.
  GRAPHQL_MAX_IN_FLIGHT: wholeNumber(10, 10_000).default(100).meta({
    description: 'Maximum concurrent GraphQL requests per process; further ones are shed: 503, OVERLOADED.',
  }),
  GRAPHQL_MAX_EVENT_LOOP_LAG_MS: wholeNumber(10, 10_000).default(500).meta({
    description:
      'Average lag of the event loop above which a process sheds GraphQL requests: 503, OVERLOADED.',
  }),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info').meta({
    description: 'Minimum severity of log lines.',
  }),
});

export const setupEnvSchema = envSchema.extend({
  DATABASE_MIGRATION_URL: databaseUrl.optional().meta({
    secret: true,
    description:
      'Postgres login that owns the tables and runs migrations, connected directly (no pooler). Default: DATABASE_URL; for development.',
  }),
  ADMIN_EMAIL: z.email().optional().meta({
    description: 'Email of the first owner, created unless the account exists. Requires ADMIN_PASSWORD.',
  }),
  ADMIN_PASSWORD: z.string().min(8).max(128).optional().meta({
    secret: true,
    description: 'Password of the first owner. Change it after the first sign-in: setup never updates it.',
  }),
  SETUP_STATE_FILE: z.string().min(1).optional().meta({
    description:
      'JSON file to which setup writes the first service tokens and a sign-in link; a file `decision-token` next to it contains the token for DECISION_TOKEN. Default: setup creates the owner only.',
  }),
  DEMO_SEED: flag.default(false).meta({ description: 'Creates demo APIs, tiers and tenants.' }),
  DEMO_HISTORY_DAYS: wholeNumber(0, 40)
    .default(30)
    .meta({ description: 'Days of demo requests that setup replays through the engine; 0: none.' }),
});
