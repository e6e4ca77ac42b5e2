import { Readable } from 'node:stream';
import { Controller, Get, Injectable, Query, Req, Res } from '@nestjs/common';
import { type ChainedEntry } from '@tollgate/contracts/audit-chain';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { AppConfig } from '../../../config/app-config.js';
import { actorOfRequest } from '../../../platform/access/permission.guard.js';
import { RequireTenantPermission } from '../../../platform/access/require-permission.decorator.js';
import { badInput, foreignOrigin } from '../../../platform/api-error.js';
import { PointsMeter, payerOf, tenantPayerOf } from '../../../platform/graphql/cost/points-meter.js';
import { ConcurrentWork } from '../../../platform/http/concurrent-work.js';
import { allowedOrigins, isForeign } from '../../../platform/http/http-server.js';
import { currentScope, runInScope, type Scope } from '../../../platform/tenant-scope.js';
import { type AuditFilter, AuditRepository, FIRST_PLACE, parseAuditFilter } from './audit.repository.js';
import { AuditHeadsStore } from './audit-heads.store.js';

/** Columns of an export, in order; a JSON line has the same members. */
const COLUMNS = [
  'chain',
  'sequence',
  'at',
  'actorKind',
  'actorId',
  'actor',
  'action',
  'entity',
  'entityId',
  'entityName',
  'entityKey',
  'revertedName',
  'tenantId',
  'tenantKey',
  'before',
  'after',
  'reason',
  'requestId',
  'changeId',
  'address',
  'userAgent',
  'id',
  'version',
  'previousHash',
  'hash',
] as const satisfies (keyof ChainedEntry)[];

export const CSV_HEADER = `${COLUMNS.join(',')}\r\n`;

/** One line of CSV (RFC 4180). */
export function csvLine(entry: ChainedEntry): string {
  return `${COLUMNS.map((column) => csvCell(entry[column])).join(',')}\r\n`;
}

/** A CSV cell; text that a spreadsheet could run as a formula is prefixed with an apostrophe. */
export function csvCell(value: unknown): string {
  const text = typeof value === 'string' ? value : value == null ? '' : JSON.stringify(value);
  const safe = /^[\s]*[=+\-@|%]|^[\t\r\n]/.test(text) && typeof value !== 'number' ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export type AuditFormat = 'jsonl' | 'csv';

const BATCH_SIZE = 1000;

/** Streams the audit trail in batches. */
@Injectable()
export class AuditExport {
  constructor(
    private readonly audit: AuditRepository,
    private readonly heads: AuditHeadsStore,
  ) {}

  /**
   * The entries by chain, in order. In JSON lines, each chain ends with `{ "head": … }`, its signed head if there is one, and the
   * file ends with `{ "end": … }`: a file without that line is truncated. `scope` is a parameter because the stream is read
   * outside the request.
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

/** Concurrent exports; each reads many rows. */
const AT_ONCE = { total: 4, perOwner: 2 };

/** Of the person or token, and of the tenant. */
const PRICE = 100;

const CONTENT_TYPES: Record<AuditFormat, string> = {
  jsonl: 'application/jsonl; charset=utf-8',
  csv: 'text/csv; charset=utf-8; header=present',
};

/** Exports the audit trail as a file: `?format=jsonl` or `csv`, and the filters of `auditEntries`. */
@Controller('api/audit')
export class AuditExportController {
  private readonly allowed: string[];
  private readonly work = new ConcurrentWork(AT_ONCE, 'Other exports are running. Try again in a minute.');

  constructor(
    private readonly exports: AuditExport,
    private readonly meter: PointsMeter,
    config: AppConfig,
  ) {
    this.allowed = allowedOrigins(config);
  }

  @RequireTenantPermission('audit:read', 'tenant')
  @Get('export')
  async export(
    @Query() query: Record<string, unknown>,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    if (isForeign(request, this.allowed)) throw foreignOrigin();
    const { format = 'jsonl', from, to, ...rest } = query;
    if (format !== 'jsonl' && format !== 'csv') throw badInput('format is jsonl or csv');
    const filter = parseAuditFilter({ ...rest, from: instant('from', from), to: instant('to', to) });
    const { tenantKey } = filter;
    const actor = await actorOfRequest(request);
    const payers = [
      payerOf(actor, request.ip),
      ...(tenantKey === undefined ? [] : [tenantPayerOf(tenantKey)]),
    ];
    await this.meter.charge(payers, PRICE);
    const end = this.work.begin(payers.map(({ kind, keyValue }) => `${kind} ${keyValue}`));
    const stream = Readable.from(this.exports.write(filter, format, currentScope()));
    stream.once('close', end);
    const name = `audit-${filter.tenantKey ?? 'all'}.${format}`;
    await reply
      .header('Cache-Control', 'no-store')
      .header('Content-Disposition', `attachment; filename="${name}"`)
      .type(CONTENT_TYPES[format])
      .send(stream);
  }
}

function instant(name: string, value: unknown): Date | undefined {
  if (value === undefined) return undefined;
  const date = new Date(typeof value === 'string' ? value : Number.NaN);
  if (Number.isNaN(date.getTime())) throw badInput(`${name} is not an instant, such as 2026-11-20T09:00:00Z`);
  return date;
}
