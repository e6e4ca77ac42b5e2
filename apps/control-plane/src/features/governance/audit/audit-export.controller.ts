import { Readable } from 'node:stream';
import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppConfig } from '../../../config/app-config.js';
import { RequireTenantPermission } from '../../../platform/access/require-permission.decorator.js';
import { badInput, forbidden, overloaded } from '../../../platform/api-error.js';
import { allowedOrigins, isForeign } from '../../../platform/http/http-server.js';
import { currentScope } from '../../../platform/tenant-scope.js';
import { AuditExport, type AuditFormat } from './audit-export.js';
import { parseAuditFilter } from './audit-filter.js';

/** An export holds a connection and reads a lot. */
const MAX_AT_ONCE = 4;

const CONTENT_TYPES: Record<AuditFormat, string> = {
  jsonl: 'application/jsonl; charset=utf-8',
  csv: 'text/csv; charset=utf-8; header=present',
};

/** The audit trail as a file, of any size: `?format=jsonl|csv` and the filters of `auditEntries`. */
@Controller('api/audit')
export class AuditExportController {
  private readonly allowed: string[];
  private running = 0;

  constructor(
    private readonly exports: AuditExport,
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
    if (isForeign(request, this.allowed)) throw forbidden();
    const { format = 'jsonl', from, to, ...rest } = query;
    if (format !== 'jsonl' && format !== 'csv') throw badInput('format is jsonl or csv');
    const filter = parseAuditFilter({ ...rest, from: instant('from', from), to: instant('to', to) });
    if (this.running >= MAX_AT_ONCE) throw overloaded('Other exports are running. Try again in a minute.');
    this.running += 1;
    const stream = Readable.from(this.exports.write(filter, format, currentScope()));
    stream.once('close', () => {
      this.running -= 1;
    });
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
