import { randomBytes } from 'node:crypto';
import type { Catalogue, LimitPolicy } from '@tollgate/contracts';
import { hashToken, issueToken } from '@tollgate/contracts/service-token';
import { PolicyPublisher, serializeCatalogue } from '@tollgate/decision-plane/operate';
import { createTestRedis, startDecisionApiProcess } from '@tollgate/test-kit';
import { Redis } from 'ioredis';

/** A built decision API with a Redis and the tenant `northwind` on the API `website`. */
export interface RunningDecisionApi {
  url: string;
  token: string;
  /** Puts these limits into force. */
  publish(limits: LimitPolicy[]): Promise<void>;
  /** Deletes all counters. */
  forgetCounters(): Promise<void>;
  stop(): Promise<void>;
}

/** Paths of the sample; others are unregistered. */
const OPERATIONS = ['home', 'blog', 'presentations', 'projects', 'images', 'files', 'articles'];

/** Starts one with `limits` in force. */
export async function startDecisionApi(limits: LimitPolicy[]): Promise<RunningDecisionApi> {
  const redisServer = await createTestRedis();
  const redis = new Redis(redisServer.url);
  const pepper = randomBytes(32).toString('hex');
  const { token, publicId } = issueToken('tga', 'live');
  const serviceToken = {
    publicId,
    hash: hashToken(token, pepper),
    scopes: ['decide'],
    expiresAtMs: null,
  };
  const relay = new Relay(redis, serviceToken);
  await relay.publish(limits);
  const api = await startDecisionApiProcess({
    REDIS_COUNTERS_URL: redisServer.url,
    REDIS_CONFIG_URL: redisServer.url,
    TOKEN_PEPPER: pepper,
  });
  return {
    url: api.url,
    token,
    publish: (changed) => relay.publish(changed),
    forgetCounters: async () => {
      const keys = await redis.keys('{northwind}*');
      if (keys.length > 0) await redis.del(keys);
    },
    stop: async () => {
      await api.stop();
      redis.disconnect();
      await redisServer.stop();
    },
  };
}

/** Publishes as the control plane's relay does. */
class Relay {
  private revision = 0;
  private readonly publisher: PolicyPublisher;

  constructor(
    redis: Redis,
    private readonly serviceToken: Catalogue['serviceTokens'][number],
  ) {
    this.publisher = new PolicyPublisher(redis);
  }

  async publish(limits: LimitPolicy[]): Promise<void> {
    const previous = this.revision;
    const revision = ++this.revision;
    const catalogue: Catalogue = {
      kind: 'catalogue',
      revision,
      apis: [
        {
          key: 'website',
          unknownOperations: 'allow',
          operations: OPERATIONS.map((name) => ({ name, cost: 1 })),
        },
      ],
      tiers: [{ key: 'free', currentVersion: 1, versions: [{ number: 1, limits }] }],
      serviceTokens: [this.serviceToken],
    };
    const { hash } = serializeCatalogue(catalogue);
    const tenant = 'northwind';
    const on = { status: 'active', tier: 'free', pinnedVersion: null } as const;
    await this.publisher.publish({
      head: { revision, catalogueRevision: revision, catalogueHash: hash, publishedAtMs: Date.now() },
      catalogue,
      over: await this.publisher.readHead(),
      tenants: [[{ tenant, record: { kind: 'tenant', revision, tenant, ...on } }]],
      announcement: () => ({ revision, previous, catalogueChanged: true, tenants: [tenant] }),
    });
  }
}
