import { Injectable } from '@nestjs/common';
import { runInScope, type Scope } from '../../../platform/tenant-scope.js';
import { AuditRepository, FIRST_PLACE } from './audit.repository.js';
import type { AuditFilter } from './audit-filter.js';
import { AuditHeadsStore } from './audit-heads.store.js';
import { CSV_HEADER, csvLine } from './audit-text.js';

export type AuditFormat = 'jsonl' | 'csv';

const BATCH_SIZE = 1000;

/** Writes the audit trail out, a batch at a time. */
@Injectable()
export class AuditExport {
  constructor(
    private readonly audit: AuditRepository,
    private readonly heads: AuditHeadsStore,
  ) {}

  /**
   * The entries, chain by chain, each in its order. As JSON lines each chain is followed by `{ "head": … }`, its signed head
   * when there is one, and all of it by `{ "end": … }`: a file without that line is not whole. `scope` is said, because a
   * stream is read in nobody's request.
   */
  async *write(filter: AuditFilter, format: AuditFormat, scope: Scope): AsyncGenerator<string> {
    if (format === 'csv') yield CSV_HEADER;
    let place = FIRST_PLACE;
    let chain: string | undefined;
    let entries = 0;
    for (;;) {
      const after = place;
      const batch = await runInScope(scope, () => this.audit.listChained(filter, after, BATCH_SIZE));
      let text = '';
      for (const entry of batch) {
        if (format === 'jsonl' && chain !== undefined && chain !== entry.chain)
          text += await this.headLine(chain);
        chain = entry.chain;
        text += format === 'csv' ? csvLine(entry) : `${JSON.stringify(entry)}\n`;
      }
      entries += batch.length;
      if (text !== '') yield text;
      const last = batch.at(-1);
      if (last === undefined || batch.length < BATCH_SIZE) break;
      place = last;
    }
    if (format === 'csv') return;
    if (chain !== undefined) yield await this.headLine(chain);
    yield `${JSON.stringify({ end: { entries, publicKey: this.heads.signer.publicKey } })}\n`;
  }

  private async headLine(chain: string): Promise<string> {
    const found = (await this.heads.find([chain])).get(chain);
    return found === undefined ? '' : `${JSON.stringify({ head: found.head })}\n`;
  }
}
