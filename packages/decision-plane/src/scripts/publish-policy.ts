import type { Redis } from 'ioredis';
import { PUBLISH_POLICY_SCRIPT } from '../generated/scripts.js';
import { runScript, scriptOf } from './script.js';

const script = scriptOf(PUBLISH_POLICY_SCRIPT);

export interface PolicyPublication {
  headKey: string;
  catalogueKey: string;
  revision: number;
  head: string;
  /** Null: the catalogue did not change. */
  catalogue: string | null;
  channel: string;
  announcement: string;
  /** A null record is removed. */
  tenantRecords: readonly { key: string; record: string | null }[];
}

/** @returns false when a revision as new as this one is in force already: nothing was written. */
export async function publishPolicy(redis: Redis, publication: PolicyPublication): Promise<boolean> {
  const { tenantRecords } = publication;
  const reply = await runScript(
    redis,
    script,
    [publication.headKey, publication.catalogueKey, ...tenantRecords.map(({ key }) => key)],
    [
      publication.revision.toFixed(0),
      publication.head,
      publication.catalogue ?? '',
      publication.channel,
      publication.announcement,
      ...tenantRecords.map(({ record }) => record ?? ''),
    ],
  );
  if (reply !== 0 && reply !== 1) throw new Error(`publish-policy: unexpected reply ${String(reply)}`);
  return reply === 1;
}
