import * as z from 'zod';

const url = (what: string, protocols: string[]) =>
  z
    .string()
    .refine((value) => URL.canParse(value) && protocols.includes(new URL(value).protocol), `must be ${what}`);

const redisUrl = url('a redis:// or rediss:// address', ['redis:', 'rediss:']);
const secret = z.string().min(32, 'must have at least 32 characters');
const flag = z.enum(['true', 'false']).transform((value) => value === 'true');
const count = (min: number, max: number) =>
  z.coerce.number({ error: 'must be a number' }).int('must be a whole number').min(min).max(max);

/**
 * Every variable that the control plane reads. `.env.example` is generated from this: a description is required, and a
 * secret has no default.
 */
export const envSchema = z.object({
  DATABASE_URL: url('a postgresql:// address', ['postgresql:', 'postgres:']).meta({
    description: 'Postgres, as postgresql://user:password@host:5432/tollgate.',
  }),
  DATABASE_MAX_CONNECTIONS: count(2, 200).default(10).meta({
    description: 'Connections that this process keeps to Postgres at most.',
  }),
  REDIS_CONFIG_URL: redisUrl.meta({
    description: 'Redis for jobs, policy and the usage stream: noeviction, with AOF. As redis://host:6379.',
  }),
  REDIS_COUNTERS_URL: redisUrl.optional().meta({
    description: 'Redis for counters, as the decision API has it. Left out: the same as REDIS_CONFIG_URL.',
  }),
  HOST: z.string().min(1).default('127.0.0.1').meta({ description: 'Address to listen on.' }),
  PORT: count(0, 65_535).default(4000).meta({ description: 'Port to listen on.' }),
  PUBLIC_URL: url('an http:// or https:// address', ['http:', 'https:']).optional().meta({
    description:
      'Where browsers reach the console. Left out: http://HOST:PORT. With https, cookies are __Host- ones.',
  }),
  TRUSTED_PROXY_HOPS: count(0, 10).default(0).meta({
    description: 'Proxies in front whose X-Forwarded-For entry is believed, counted from the right.',
  }),
  SESSION_SECRET: secret.meta({ description: 'Signs session cookies. At least 32 random characters.' }),
  TOKEN_PEPPER: secret.meta({
    description:
      'Keys the hashes of service tokens. The decision API must have the same. At least 32 characters.',
  }),
  TOKEN_PEPPER_VERSION: count(1, 1_000_000).default(1).meta({
    description: 'Raised when TOKEN_PEPPER changes; tokens of other versions stop working.',
  }),
  WORKER: z.enum(['inline', 'separate']).default('inline').meta({
    description: 'inline: this process publishes policy itself. separate: worker.js does.',
  }),
  CONSOLE_DIR: z.string().min(1).optional().meta({
    description: 'Folder of the built console. Left out: no console is served.',
  }),
  GRAPHQL_INTROSPECTION: flag
    .default(false)
    .meta({ description: 'Answers schema queries; for development.' }),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info').meta({
    description: 'Least severe log line that is written.',
  }),
});

/** What `setup` reads besides: only that one command uses them. */
export const setupEnvSchema = envSchema.extend({
  SETUP_STATE_FILE: z.string().min(1).meta({
    description:
      'JSON file that tells set-up the admin and that set-up writes tokens and the sign-in link to.',
  }),
  DEMO_SEED: flag.default(false).meta({ description: 'Creates demo APIs, tiers and tenants.' }),
});
