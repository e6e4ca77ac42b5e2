import type { NodeReport } from '@tollgate/contracts';
import type { Redis } from 'ioredis';
import { listen, withdrawNode, writeNodeReport } from './node-reports.js';
import {
  ANNOUNCEMENTS,
  CATALOGUE_KEY,
  CONFIRMATION_KEY,
  HEAD_KEY,
  keyOwnerKey,
  tenantRecordKey,
} from './policy-names.js';

/** What a poll finds, as it is stored; null: nothing. */
export interface PolledPolicy {
  head: string | null;
  confirmation: string | null;
}

/** Reads policy, unopened, and reports about the node: what a node asks of the Redis of policy. */
export class PolicySource {
  constructor(private readonly redis: Redis) {}

  async poll(): Promise<PolledPolicy> {
    const [head = null, confirmation = null] = await this.redis.mget(HEAD_KEY, CONFIRMATION_KEY);
    return { head, confirmation };
  }

  /** Head and catalogue of one moment; undefined where one of them is missing. */
  async readCatalogue(): Promise<{ head: string; catalogue: string } | undefined> {
    const [head, catalogue] = await this.redis.mget(HEAD_KEY, CATALOGUE_KEY);
    return head == null || catalogue == null ? undefined : { head, catalogue };
  }

  /** The records of `tenants` in their order; null for one that does not exist. */
  async readTenants(tenants: readonly string[]): Promise<(string | null)[]> {
    return tenants.length === 0 ? [] : await this.redis.mget(tenants.map(tenantRecordKey));
  }

  /** The tenants of API keys by public id, in their order; null for nobody's. */
  async readKeyOwners(publicIds: readonly string[]): Promise<(string | null)[]> {
    return publicIds.length === 0 ? [] : await this.redis.mget(publicIds.map(keyOwnerKey));
  }

  /** Calls `onAnnouncement` for each change, and `onSubscribed` whenever changes may have gone unheard. */
  subscribe(onAnnouncement: (announcement: string) => void, onSubscribed: () => void): () => void {
    return listen(this.redis, ANNOUNCEMENTS, onAnnouncement, onSubscribed);
  }

  /** @returns the server's time, microseconds since the Unix epoch */
  report(report: NodeReport): Promise<number> {
    return writeNodeReport(this.redis, report);
  }

  withdraw(nodeId: string): Promise<void> {
    return withdrawNode(this.redis, nodeId);
  }
}
