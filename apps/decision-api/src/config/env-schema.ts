import { textReadBy } from '@tollgate/contracts';
import { tracingVariable, wholeNumber } from '@tollgate/contracts/environment';
import { allowInsecureSchema, INSECURE_SETTINGS } from '@tollgate/contracts/insecure-settings';
import { parseOldPeppers } from '@tollgate/contracts/service-token';
import { checkConfigRedisUrl, checkRedisUrl } from '@tollgate/limiter/stores';
import { isSealKey } from '@tollgate/policy';
import * as z from 'zod';
import { DEFAULT_LIMITS } from '../envoy/grpc/limits.js';
import { DEFAULT_MAX_IN_FLIGHT, DEFAULT_MAX_LAG_MS, DEFAULT_RLS_MAX_IN_FLIGHT } from '../http/admission.js';
import { parseNetworks } from '../routes/client-address.js';

const portSchema = wholeNumber(0, 65_535);
const countersUrlSchema = textReadBy(checkRedisUrl);
const configUrlSchema = textReadBy(checkConfigRedisUrl);
const oldPeppersSchema = textReadBy(parseOldPeppers).optional();
const trustedProxiesSchema = textReadBy(parseNetworks).optional();

const consoleUrlSchema = z
  .url({ protocol: /^https?$/, error: 'must be an http:// or https:// address' })
  .transform((url) => new URL(url).origin)
  .optional();

const publicKeysSchema = z
  .string()
  .transform((text) => text.split(',').map((key) => key.trim()))
  .refine(
    (keys) => keys.every(isSealKey),
    'must be Ed25519 public keys (32 bytes, base64url), separated by commas',
  );

const sampleSize = (usual: number) => wholeNumber(0, 10_000).default(usual);

const maximumSchema = wholeNumber(1, 100_000);

/** Environment variables of the decision API with their defaults; secrets have no default. */
export const envSchema = z.object({
  HOST: z.string().default('127.0.0.1').meta({ description: 'Address to listen on' }),
  PORT: portSchema.default(4010).meta({ description: 'Port to listen on; 0: any free one' }),
  METRICS_PORT: portSchema.optional().meta({
    description:
      'Port of `/metrics` for Prometheus, without a token; 0: any free port; unset: metrics are not served',
  }),
  METRICS_HOST: z.string().default('127.0.0.1').meta({
    description: 'Address of that port; keep it away from callers: loopback, or a network of the operator',
  }),
  READY_WITHOUT_COUNTERS: z.enum(['true', 'false']).default('false').meta({
    description:
      'true: `/readyz` succeeds although the counters have not answered since the start, so that a node that restarts in their outage gets requests',
  }),
  RLS_PORT: portSchema.optional().meta({
    description: "Port of Envoy's rate limit service over gRPC; 0: any free port; unset: not served",
  }),
  RLS_TLS_CERT_FILE: z.string().min(1).optional().meta({
    description: 'Certificate chain (PEM) of that port, reloaded when the file changes; unset: no TLS',
  }),
  RLS_TLS_KEY_FILE: z
    .string()
    .min(1)
    .optional()
    .meta({ description: 'Private key (PEM) of that certificate' }),
  RLS_TLS_CLIENT_CA_FILE: z.string().min(1).optional().meta({
    description:
      'CA certificates (PEM) that client certificates must be issued by; unset: clients need no certificate',
  }),
  RLS_TLS_CLIENT_CERT: z.enum(['required', 'optional']).default('required').meta({
    description:
      'With RLS_TLS_CLIENT_CA_FILE. optional: clients without a certificate are accepted; those of another CA never are',
  }),
  RLS_REFLECTION: z.enum(['on', 'off']).default('on').meta({
    description: 'off: no gRPC server reflection, which needs no token',
  }),
  RLS_MAX_CONNECTIONS: maximumSchema.default(DEFAULT_LIMITS.maxConnections).meta({
    description:
      'Open connections of that port per process; a new one replaces the oldest that has made no authorized call',
  }),
  RLS_MAX_CONNECTIONS_PER_ADDRESS: maximumSchema.default(DEFAULT_LIMITS.maxConnectionsPerAddress).meta({
    description: 'The same for one IPv4 address or one IPv6 /64',
  }),
  RLS_MAPPING_FILE: z.string().min(1).optional().meta({
    description: 'JSON file that maps the descriptors of each domain to requests; unset: default mapping',
  }),
  PROCESSES: wholeNumber(1, 64)
    .default(1)
    .meta({ description: 'Number of processes that share the port; each is a separate node' }),
  MAX_IN_FLIGHT: maximumSchema.default(DEFAULT_MAX_IN_FLIGHT).meta({
    description: 'Maximum concurrent requests per process; further requests are shed',
  }),
  RLS_MAX_IN_FLIGHT: maximumSchema.default(DEFAULT_RLS_MAX_IN_FLIGHT).meta({
    description: 'The same over gRPC: calls of ShouldRateLimit',
  }),
  // A lag of a few milliseconds is normal under load.
  MAX_EVENT_LOOP_LAG_MS: wholeNumber(10, 10_000).default(DEFAULT_MAX_LAG_MS).meta({
    description:
      'Average lag of the event loop above which a process sheds requests: HTTP 503, gRPC UNAVAILABLE',
  }),
  DRAIN_NOTICE_MS: wholeNumber(0, 60_000)
    .default(500)
    .meta({ description: 'How long readiness fails after a stop signal before the port is closed, ms' }),
  TRACING: tracingVariable('; only HTTP requests and gRPC calls with a sampled `traceparent` are traced'),
  TRUSTED_HOPS: wholeNumber(0, 16).default(1).meta({
    description:
      'Forward-auth: number of trusted proxies in front of this server that write X-Forwarded-For; 1: only the calling proxy',
  }),
  TRUSTED_PROXIES: trustedProxiesSchema.meta({
    description: 'Forward-auth: networks of the trusted proxies, separated by commas; replaces TRUSTED_HOPS',
  }),
  REDIS_COUNTERS_URL: countersUrlSchema.meta({
    secret: true,
    description: 'Redis for counters: a server, Sentinels or a cluster, see [redis.md](redis.md)',
  }),
  REDIS_CONFIG_URL: configUrlSchema.meta({
    secret: true,
    description: 'Redis for policy and usage: a server or Sentinels',
  }),
  TOKEN_PEPPER: z.string().min(32).meta({
    secret: true,
    description: 'Secret under which token hashes are made; the control plane has the same',
  }),
  POLICY_PUBLIC_KEYS: publicKeysSchema.optional().meta({
    description:
      "Public keys of the control plane's POLICY_SIGNING_KEY, separated by commas; policy without a valid signature is rejected",
  }),
  ALLOW_INSECURE: allowInsecureSchema.optional().meta({
    description: `Insecure settings to accept, separated by commas: ${INSECURE_SETTINGS.join(', ')}; each one in use is logged as a warning at start. unsigned-policy: required without POLICY_PUBLIC_KEYS; the secret settings matter when HOST is not loopback; the others apply to the control plane`,
  }),
  POLICY_MAX_STALE_MS: wholeNumber(1000, 31_536_000_000).default(86_400_000).meta({
    description: 'How long the control plane may not confirm the policy before POLICY_ON_STALE applies',
  }),
  UNKNOWN_APIS: z.enum(['deny', 'allow']).default('deny').meta({
    description:
      'Requests for an API that the policy does not define: deny returns 404 api-unknown, allow passes them without limits (EXEMPT). Set the same value on all nodes.',
  }),
  POLICY_ON_STALE: z.enum(['keep', 'deny', 'allow']).default('keep').meta({
    description:
      'Decision for limited requests after POLICY_MAX_STALE_MS: keep applies the last policy, deny denies, allow allows without counting',
  }),
  TOKEN_PEPPER_VERSION: wholeNumber(1, 1_000_000)
    .default(1)
    .meta({ description: 'Number of TOKEN_PEPPER; the control plane has the same' }),
  TOKEN_PEPPERS_OLD: oldPeppersSchema.meta({
    secret: true,
    description:
      'Earlier peppers whose tokens remain valid, as 2:<secret>,1:<secret>; same value as in the control plane',
  }),
  CONSOLE_URL: consoleUrlSchema.meta({
    description:
      'Address of the console, the PUBLIC_URL of the control plane; denied answers then link their explanation there (`explain`, `docs`); unset: no links',
  }),
  NODE_ID: z
    .string()
    .regex(/^[A-Za-z0-9._-]{1,64}$/)
    .optional()
    .meta({ description: 'Unique among live nodes; unset: host name and process id' }),
  DATA_DIR: z.string().min(1).meta({ description: 'Folder for the last good policy' }),
  DECISION_DEADLINE_MS: wholeNumber(1, 10_000)
    .default(25)
    .meta({ description: 'Longest wait for the counters' }),
  SAMPLE_ALLOWED_PER_SECOND: sampleSize(50).meta({
    description: 'Sampled allowed decisions per second; 0: none',
  }),
  SAMPLE_DENIED_PER_SECOND: sampleSize(100).meta({
    description: 'Sampled denied decisions per second; 0: none',
  }),
  RECORD_TRAFFIC: z.enum(['on', 'off']).default('on').meta({
    description: 'Whether every decision is recorded for simulations; see [traffic.md](traffic.md)',
  }),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent'])
    .default('info')
    .meta({ description: 'Minimum log level' }),
});
