import { createHash } from 'node:crypto';
import {
  type Announcement,
  announcementSchema,
  type Catalogue,
  type Head,
  headSchema,
  type NodeReport,
  nodeReportSchema,
  type TenantRecord,
} from '@tollgate/contracts';
import type { Redis } from 'ioredis';
import { publishPolicy } from '../scripts/publish-policy.js';
import { readJson } from './json-record.js';

/** Where policy lives in Redis. One prefix; tenant keys hold no `:`, so no two records share a name. */
const HEAD_KEY = 'tg:policy:head';
const CATALOGUE_KEY = 'tg:policy:catalogue';
const ANNOUNCEMENTS = 'tg:policy:announcements';
const NODES_KEY = 'tg:nodes';
const tenantRecordKey = (tenant: string) => `tg:policy:tenant:${tenant}`;

/** A node that has not reported for this long is forgotten. */
const FORGET_NODE_AFTER_MS = 60_000;

/** Tenant records written in one go before the switch to a new revision. */
const CHUNK = 500;

/** The catalogue as written, and the hash that its head carries. */
export function serializeCatalogue(catalogue: Catalogue): { text: string; hash: string } {
  const text = JSON.stringify(catalogue);
  return { text, hash: hashText(text) };
}

/** SHA-256, hex. */
export function hashText(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

async function readHead(redis: Redis): Promise<Head | undefined> {
  return readJson(headSchema, await redis.get(HEAD_KEY));
}

export interface Publication {
  head: Head;
  /** Its `catalogueHash` must be that of {@link serializeCatalogue}; left out when the catalogue did not change. */
  catalogue?: Catalogue;
  tenants: readonly TenantRecord[];
  removedTenants: readonly string[];
  announcement: Announcement;
}

/** Writes policy; only the relay does, one at a time. */
export class PolicyPublisher {
  constructor(private readonly redis: Redis) {}

  readHead(): Promise<Head | undefined> {
    return readHead(this.redis);
  }

  /**
   * Puts a revision into force and announces it. Many tenant records are written ahead of the switch, in chunks: a
   * node may see one a moment before its revision is announced, never after.
   */
  async publish(publication: Publication): Promise<'published' | 'superseded'> {
    const { head, catalogue, tenants, removedTenants, announcement } = publication;
    const records = [
      ...tenants.map((record) => ({ key: tenantRecordKey(record.tenant), record: JSON.stringify(record) })),
      ...removedTenants.map((tenant) => ({ key: tenantRecordKey(tenant), record: null })),
    ];
    while (records.length > CHUNK) {
      const pipeline = this.redis.pipeline();
      for (const { key, record } of records.splice(0, CHUNK)) {
        if (record === null) pipeline.del(key);
        else pipeline.set(key, record);
      }
      for (const [error] of (await pipeline.exec()) ?? []) if (error) throw error;
    }
    const published = await publishPolicy(this.redis, {
      headKey: HEAD_KEY,
      catalogueKey: CATALOGUE_KEY,
      revision: head.revision,
      head: JSON.stringify(head),
      catalogue: catalogue === undefined ? null : serializeCatalogue(catalogue).text,
      channel: ANNOUNCEMENTS,
      announcement: JSON.stringify(announcement),
      tenantRecords: records,
    });
    return published ? 'published' : 'superseded';
  }
}

/** Reads policy and reports about itself: what a node does. */
export class PolicySource {
  constructor(private readonly redis: Redis) {}

  /** Head and catalogue of one moment, as texts; undefined when nothing was ever published. */
  async readCatalogue(): Promise<{ head: Head; text: string } | undefined> {
    const [headText, text] = await this.redis.mget(HEAD_KEY, CATALOGUE_KEY);
    const head = readJson(headSchema, headText);
    return head === undefined || text == null ? undefined : { head, text };
  }

  readHead(): Promise<Head | undefined> {
    return readHead(this.redis);
  }

  /** The records of `tenants` in their order, as texts; null for one that does not exist. */
  async readTenants(tenants: readonly string[]): Promise<(string | null)[]> {
    return tenants.length === 0 ? [] : await this.redis.mget(tenants.map(tenantRecordKey));
  }

  /**
   * Calls `onAnnouncement` for each change, and `onSubscribed` each time that the connection, one of its own, begins to
   * listen: what was announced before that was not heard. Returns what ends it.
   */
  subscribe(onAnnouncement: (announcement: Announcement) => void, onSubscribed: () => void): () => void {
    const subscriber = this.redis.duplicate({ autoResubscribe: false });
    subscriber.on('error', () => undefined);
    subscriber.on('ready', () => {
      // A connection that ends meanwhile comes back, and is ready again.
      subscriber.subscribe(ANNOUNCEMENTS).then(onSubscribed, () => undefined);
    });
    subscriber.on('message', (_channel, message) => {
      const announcement = readJson(announcementSchema, message);
      // One that cannot be read is as good as lost: the poll finds the change.
      if (announcement !== undefined) onAnnouncement(announcement);
    });
    return () => subscriber.disconnect();
  }

  async report(report: NodeReport): Promise<void> {
    await this.redis.hset(NODES_KEY, report.nodeId, JSON.stringify(report));
  }

  async withdraw(nodeId: string): Promise<void> {
    await this.redis.hdel(NODES_KEY, nodeId);
  }
}

/** The nodes that reported within the last minute, by id; forgets the others. */
export async function readNodeReports(redis: Redis): Promise<NodeReport[]> {
  const reports: NodeReport[] = [];
  for (const [nodeId, text] of Object.entries(await redis.hgetall(NODES_KEY))) {
    const report = readJson(nodeReportSchema, text);
    if (report !== undefined && Date.now() - report.seenAtMs < FORGET_NODE_AFTER_MS) reports.push(report);
    else await redis.hdel(NODES_KEY, nodeId);
  }
  return reports.sort((a, b) => a.nodeId.localeCompare(b.nodeId));
}
