import { textReadBy } from '@tollgate/contracts';
import { allowInsecureSchema, INSECURE_SETTINGS } from '@tollgate/contracts/insecure-settings';
import { parseOldPeppers } from '@tollgate/contracts/service-token';
import { isSealKey, parseCountersUrl } from '@tollgate/decision-plane/internals';
import { DEFAULT_LIMITS, TRANSPORTS } from '@tollgate/http2';
import * as z from 'zod';
import { DEFAULT_MAX_IN_FLIGHT, DEFAULT_MAX_LAG_MS, DEFAULT_RLS_MAX_IN_FLIGHT } from '../http/admission.js';
import { parseNetworks } from '../routes/client-address.js';
import { READY_WITHOUT_COUNTERS } from '../routes/health.js';

const portSchema = z.coerce.number().int().min(0).max(65_535);
const countersUrlSchema = textReadBy((text) => {
  parseCountersUrl(text);
  return text;
});
const oldPeppersSchema = textReadBy(parseOldPeppers).optional();
const trustedProxiesSchema = textReadBy(parseNetworks).optional();
const redisUrlSchema = z.url({ protocol: /^rediss?$/, error: 'must be a redis:// or rediss:// address' });

const publicKeysSchema = z
  .string()
  .transform((text) => text.split(',').map((key) => key.trim()))
  .refine(
    (keys) => keys.every(isSealKey),
    'must be Ed25519 public keys, 32 bytes in base64url each, joined by commas',
  );

const sampleSize = (usual: number) => z.coerce.number().int().min(0).max(10_000).default(usual);

const connectionsSchema = z.coerce.number().int().min(1).max(100_000);

const maxInFlightSchema = z.coerce.number().int().min(1).max(100_000);

/** The environment of this app; a name's default stands beside it, secrets have none. */
export const envSchema = z.object({
  HOST: z.string().default('127.0.0.1').meta({ description: 'Address to listen on' }),
  PORT: portSchema.default(4010).meta({ description: 'Port to listen on; 0: any free one' }),
  METRICS_PORT: portSchema.optional().meta({
    description:
      'Port of `/metrics` for Prometheus, without a token; 0: any free one; left out: metrics are not served',
  }),
  METRICS_HOST: z.string().default('127.0.0.1').meta({
    description: 'Address of that port; keep it away from callers: loopback, or a network of the operator',
  }),
  READY_WITHOUT_COUNTERS: z.enum(READY_WITHOUT_COUNTERS).default('restart').meta({
    description:
      'Whether `/readyz` succeeds while the counters have not answered since the start: never; restart: for a node with a policy on its disk, which has decided before; always',
  }),
  RLS_PORT: portSchema.optional().meta({
    description:
      "Port of Envoy's rate limit service over gRPC; 0: any free one; left out: that door is closed",
  }),
  RLS_TLS_CERT_FILE: z.string().min(1).optional().meta({
    description:
      'Certificate chain (PEM) of that port, read anew when it changes; left out: it speaks without TLS',
  }),
  RLS_TLS_KEY_FILE: z
    .string()
    .min(1)
    .optional()
    .meta({ description: 'Private key (PEM) of that certificate' }),
  RLS_TLS_CLIENT_CA_FILE: z.string().min(1).optional().meta({
    description: 'Certificates (PEM) that callers must have theirs from; left out: callers need none',
  }),
  RLS_TLS_CLIENT_CERT: z.enum(['required', 'optional']).default('required').meta({
    description:
      'With RLS_TLS_CLIENT_CA_FILE. optional: clients without a certificate are accepted; those of another CA never are',
  }),
  RLS_TRANSPORT: z.enum(TRANSPORTS).default('tollgate').meta({
    description: 'HTTP/2 implementation of that port; node: node:http2, slower, with the same limits',
  }),
  RLS_REFLECTION: z.enum(['on', 'off']).default('on').meta({
    description: 'off: no gRPC server reflection, which needs no token',
  }),
  RLS_MAX_CONNECTIONS: connectionsSchema.default(DEFAULT_LIMITS.maxConnections).meta({
    description:
      'Open connections of that port per process; a new one replaces the oldest that has made no authorized call',
  }),
  RLS_MAX_CONNECTIONS_PER_ADDRESS: connectionsSchema.default(DEFAULT_LIMITS.maxConnectionsPerAddress).meta({
    description: 'The same for one IPv4 address or one IPv6 /64',
  }),
  RLS_MAPPING_FILE: z.string().min(1).optional().meta({
    description: 'JSON file that says how descriptors of each domain become requests; left out: the defaults',
  }),
  PROCESSES: z.coerce
    .number()
    .int()
    .min(1)
    .max(64)
    .default(1)
    .meta({ description: 'Processes that share the port, each a node of its own' }),
  MAX_IN_FLIGHT: maxInFlightSchema.default(DEFAULT_MAX_IN_FLIGHT).meta({
    description: 'Requests that a process has in work at once; more are turned away',
  }),
  RLS_MAX_IN_FLIGHT: maxInFlightSchema.default(DEFAULT_RLS_MAX_IN_FLIGHT).meta({
    description: 'The same over gRPC: calls of ShouldRateLimit',
  }),
  MAX_EVENT_LOOP_LAG_MS: z.coerce
    .number()
    .int('must be a whole number of milliseconds')
    .min(10, 'must be 10 or more: a lag of a few milliseconds is normal under load')
    .max(10_000, 'must be 10,000 (10 seconds) at most')
    .default(DEFAULT_MAX_LAG_MS)
    .meta({
      description:
        'Average lag of the event loop above which a process sheds requests: HTTP 503, gRPC UNAVAILABLE',
    }),
  DRAIN_NOTICE_MS: z.coerce
    .number()
    .int()
    .min(0)
    .max(60_000)
    .default(500)
    .meta({ description: 'How long readiness fails before a process that was told to stop closes its port' }),
  TRUSTED_HOPS: z.coerce.number().int().min(0).max(16).default(1).meta({
    description:
      'Forward-auth: proxies between client and us that say where requests came from; 1: the one that asks',
  }),
  TRUSTED_PROXIES: trustedProxiesSchema.meta({
    description: 'Forward-auth: networks of those proxies, joined by commas, in place of their number',
  }),
  REDIS_COUNTERS_URL: countersUrlSchema.meta({
    description: 'Redis that holds the counters; redis-cluster://host:port,host:port for a cluster',
  }),
  REDIS_CONFIG_URL: redisUrlSchema.meta({ description: 'Redis that holds policy and takes usage' }),
  TOKEN_PEPPER: z
    .string()
    .min(32)
    .meta({ description: 'Secret under which token hashes are made; the control plane has the same' }),
  POLICY_PUBLIC_KEYS: publicKeysSchema.optional().meta({
    description:
      'Public keys of POLICY_SIGNING_KEY of the control plane, joined by commas; policy that none of them sealed is refused',
  }),
  ALLOW_INSECURE: allowInsecureSchema.optional().meta({
    description: `Insecure settings to accept, separated by commas: ${INSECURE_SETTINGS.join(', ')}; each one in use is logged as a warning at start. unsigned-policy: needed without POLICY_PUBLIC_KEYS; the secrets matter where HOST is not loopback; the others are for the control plane`,
  }),
  POLICY_MAX_STALE_MS: z.coerce.number().int().min(1000).max(31_536_000_000).default(86_400_000).meta({
    description: 'How long the control plane may not confirm the policy before POLICY_ON_STALE applies',
  }),
  UNKNOWN_APIS: z.enum(['refuse', 'allow']).default('refuse').meta({
    description:
      'What a request for an API that the policy does not have gets: refuse answers 404 api-unknown, allow passes it without limits (EXEMPT). Set the same on all nodes.',
  }),
  POLICY_ON_STALE: z.enum(['keep', 'deny', 'allow']).default('keep').meta({
    description:
      'What limited requests get then: keep goes on by the policy, deny refuses, allow lets pass uncounted',
  }),
  TOKEN_PEPPER_VERSION: z.coerce
    .number()
    .int()
    .min(1)
    .max(1_000_000)
    .default(1)
    .meta({ description: 'Number of TOKEN_PEPPER; the control plane has the same' }),
  TOKEN_PEPPERS_OLD: oldPeppersSchema.meta({
    description:
      'Earlier peppers whose tokens still work, as 2:<secret>,1:<secret>; the control plane has the same',
  }),
  NODE_ID: z
    .string()
    .regex(/^[A-Za-z0-9._-]{1,64}$/)
    .optional()
    .meta({ description: 'Unique among live nodes; left out: host name and process number' }),
  DATA_DIR: z.string().min(1).meta({ description: 'Folder for the last good policy' }),
  DECISION_DEADLINE_MS: z.coerce
    .number()
    .int()
    .min(1)
    .max(10_000)
    .default(25)
    .meta({ description: 'Longest wait for the counters' }),
  SAMPLE_ALLOWED_PER_SECOND: sampleSize(50).meta({
    description: 'Decisions a second that are kept as they were made, of those that were allowed; 0: none',
  }),
  SAMPLE_REFUSED_PER_SECOND: sampleSize(100).meta({
    description: 'The same of those that were refused; 0: none',
  }),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent'])
    .default('info')
    .meta({ description: 'What is logged' }),
});
