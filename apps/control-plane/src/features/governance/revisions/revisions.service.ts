import { Injectable } from '@nestjs/common';
import { type Catalogue, catalogueSchema } from '@tollgate/contracts';
import { badInput } from '../../../platform/api-error.js';
import type { Page } from '../../../platform/graphql/paging.js';
import type { Tx } from '../../../platform/prisma/database.js';
import { RevisionsRepository } from '../../distribution/index.js';
import { diffCatalogues } from './revision-diff.js';
import {
  type AuditedChange,
  RevisionHistoryRepository,
  type RevisionRow,
} from './revision-history.repository.js';
import type { RevisionDiff } from './revisions.graphql.js';

/** Changes of a revision that are shown. */
const SHOWN_CHANGES = 20;

/** The history of what nodes ran. */
@Injectable()
export class RevisionsService {
  constructor(
    private readonly history: RevisionHistoryRepository,
    private readonly revisions: RevisionsRepository,
  ) {}

  list(catalogueOnly: boolean, page: Page<number>): Promise<RevisionRow[]> {
    return this.history.list(catalogueOnly, page);
  }

  count(catalogueOnly: boolean): Promise<number> {
    return this.history.count(catalogueOnly);
  }

  sizes(catalogueRevisions: readonly number[]): Promise<Map<string, number>> {
    return this.history.listSizes(catalogueRevisions);
  }

  async changes(row: RevisionRow): Promise<AuditedChange[]> {
    return this.history.listChanges(row.changeIds.slice(0, SHOWN_CHANGES));
  }

  /** @throws ApiError BAD_USER_INPUT for a revision that there is not, or whose catalogue is no longer kept */
  async diff(from: number, to: number): Promise<RevisionDiff> {
    const [before, after] = [await this.findCatalogue(from), await this.findCatalogue(to)];
    if (before === null || after === null) {
      throw badInput(
        `Revision ${before === null ? from : to} is not kept; \`revisions\` lists those that are`,
      );
    }
    return { from, to, ...diffCatalogues(before, after) };
  }

  /** Null before the first publication. */
  findNewest(tx: Tx): Promise<RevisionRow | null> {
    return this.history.newest(tx);
  }

  /** What nodes ran under a revision; null when there is none of that number, or it is no longer kept. */
  async findCatalogue(number: number, tx?: Tx): Promise<Catalogue | null> {
    const row = await this.history.find(number, tx);
    const text = row && (await this.revisions.findCatalogueText(row.catalogueRevision, tx));
    return text === null ? null : catalogueSchema.parse(JSON.parse(text));
  }
}
