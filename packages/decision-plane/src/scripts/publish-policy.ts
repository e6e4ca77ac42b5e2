import type { Redis } from 'ioredis';
import { PUBLISH_POLICY_SCRIPT } from '../generated/scripts.js';
import { runScript, scriptOf } from './script.js';

const script = scriptOf(PUBLISH_POLICY_SCRIPT);

export interface PolicyPublication {
  headKey: string;
  catalogueKey: string;
  /** As it was read; null: there was none. */
  expectedHead: string | null;
  head: string;
  /** Null: the catalogue did not change. */
  catalogue: string | null;
  channel: string;
  announcement: string;
  /** A null record is removed. */
  tenantRecords: readonly { key: string; record: string | null }[];
}

/** @returns false when the head is another one than was expected: nothing was written. */
export async function publishPolicy(redis: Redis, publication: PolicyPublication): Promise<boolean> {
  const { tenantRecords } = publication;
  const reply = await runScript(
    redis,
    script,
    [publication.headKey, publication.catalogueKey, ...tenantRecords.map(({ key }) => key)],
    [
      publication.expectedHead ?? '',
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
