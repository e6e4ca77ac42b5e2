import { Injectable } from '@nestjs/common';
import type { PublicationGuard } from '@tollgate/database';
import { newId } from '../../../platform/ids.js';
import type { Tx } from '../../../platform/prisma/database.js';
import { PublicationGuardState } from '../../../platform/prisma/schema.js';
import type { GuardTermsInput } from './tiers.graphql.js';

const MINUTE_MS = 60_000;

type Publication = Pick<PublicationGuard, 'tierId' | 'versionNumber' | 'changeId' | 'apis' | 'publishedAt'>;

/** Starts guards in the transaction of a publication. */
@Injectable()
export class PublicationGuardsRepository {
  async create(tx: Tx, publication: Publication, terms: GuardTermsInput): Promise<void> {
    const endsAt = new Date(publication.publishedAt.getTime() + terms.withinMinutes * MINUTE_MS);
    const missingBefore = await countMissingFrames(tx);
    const data = { id: newId('publicationGuard'), ...publication, ...terms, endsAt, missingBefore };
    await tx.publicationGuard.create({ data });
  }
}

/** Ends the guard of the version that is replaced. */
export async function supersedeGuard(tx: Tx, tierId: string, at: Date): Promise<void> {
  await tx.publicationGuard.updateMany({
    where: { tierId, state: PublicationGuardState.WATCHING },
    data: { state: PublicationGuardState.SUPERSEDED, endedAt: at, obstacle: null, message: null },
  });
}

/** Usage frames that are missing or unreadable, of all nodes. */
export async function countMissingFrames(tx: Tx): Promise<bigint> {
  const [row] = await tx.$queryRaw<{ missing: bigint }[]>`
    SELECT (SELECT coalesce(sum("missed"), 0) FROM "usage_source")::bigint
      + coalesce((SELECT "set_aside" FROM "stream_position" WHERE "stream" = 'usage'), 0) AS "missing"`;
  return row?.missing ?? 0n;
}
