import { Injectable } from '@nestjs/common';
import { type Catalogue, catalogueSchema } from '@tollgate/contracts';
import { badInput } from '../../../platform/api-error.js';
import type { Tx } from '../../../platform/prisma/database.js';
import { RevisionsRepository } from '../../distribution/index.js';
import type { RevisionDiff } from './revisions.graphql.js';
import { RevisionHistoryRepository } from './revisions.repository.js';
import { diffCatalogues } from './revisions.rules.js';

/** Reads and compares the catalogues of revisions. */
@Injectable()
export class RevisionsService {
  constructor(
    private readonly history: RevisionHistoryRepository,
    private readonly revisions: RevisionsRepository,
  ) {}

  /** @throws ApiError BAD_USER_INPUT for an unknown revision, or one whose catalogue was deleted */
  async diff(from: number, to: number): Promise<RevisionDiff> {
    const [before, after] = [await this.findCatalogue(from), await this.findCatalogue(to)];
    if (before === null || after === null) {
      throw badInput(
        `Revision ${before === null ? from : to} is not stored. \`revisions\` lists the stored ones.`,
      );
    }
    return { from, to, ...diffCatalogues(before, after) };
  }

  /** The catalogue of a revision; null if the revision is unknown or its catalogue was deleted. */
  async findCatalogue(number: number, tx?: Tx): Promise<Catalogue | null> {
    const row = await this.history.find(number, tx);
    const text = row && (await this.revisions.findCatalogueText(row.catalogueRevision, tx));
    return text === null ? null : catalogueSchema.parse(JSON.parse(text));
  }
}
