import * as z from 'zod';

const portSchema = z.coerce.number().int().min(0).max(65_535);
const redisUrlSchema = z.url({ protocol: /^rediss?$/, error: 'must be a redis:// or rediss:// address' });

/** The environment of this app; a name's default stands beside it, secrets have none. */
export const envSchema = z.object({
  HOST: z.string().default('127.0.0.1').meta({ description: 'Address to listen on' }),
  PORT: portSchema.default(4010).meta({ description: 'Port to listen on; 0: any free one' }),
  REDIS_COUNTERS_URL: redisUrlSchema.meta({ description: 'Redis that holds the counters' }),
  REDIS_CONFIG_URL: redisUrlSchema.meta({ description: 'Redis that holds policy and takes usage' }),
  TOKEN_PEPPER: z
    .string()
    .min(32)
    .meta({ description: 'Secret under which token hashes are made; the control plane has the same' }),
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
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent'])
    .default('info')
    .meta({ description: 'What is logged' }),
});
