import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { type Brand, TOLLGATE_BRAND } from '@tollgate/contracts/brand';
import type { Installation as InstallationRow } from '@tollgate/database';
import { Log } from '../log.js';
import { Database } from '../prisma/database.js';
import { runInScope } from '../tenant-scope.js';
import { cleanStoredLogo } from './logo.js';

export type { InstallationRow };

export const LOGO_PATH = '/api/brand/logo.png';

const REFRESH_MS = 10_000;

const DEFAULTS: InstallationRow = {
  id: 1,
  productName: TOLLGATE_BRAND.productName,
  accent: null,
  logo: null,
  companyName: '',
  address: '',
  taxId: '',
  registration: '',
  contact: '',
  invoiceNote: '',
  taxLabel: '',
  taxBasisPoints: 0,
  embedOrigins: [],
  version: 0,
};

/** Company and brand, kept in memory so that pages are served while Postgres is unavailable. At most 10 s old. */
@Injectable()
export class Installation implements OnModuleInit, OnModuleDestroy {
  private row = DEFAULTS;
  /** The logo as stored, of which `row` has the clean form. */
  private storedLogo: Uint8Array | null = null;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly database: Database,
    private readonly log: Log,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.refresh();
    this.timer = setInterval(() => void this.refresh(), REFRESH_MS);
    this.timer.unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  get current(): InstallationRow {
    return this.row;
  }

  /** The brand, with the path of the logo; the path changes with the logo. */
  get brand(): Brand {
    return brandOf(this.row);
  }

  async refresh(): Promise<void> {
    try {
      const read = () => this.database.client.installation.findUnique({ where: { id: 1 } });
      const row = (await runInScope('all', read)) ?? DEFAULTS;
      this.row = { ...row, logo: this.readLogo(row.logo) };
    } catch (error) {
      this.log.debug({ error: String(error) }, 'company and brand not refreshed');
    }
  }

  /** The clean form of the stored logo; null, with a log line, for a damaged one, which earlier releases accepted. */
  private readLogo(stored: Uint8Array | null): InstallationRow['logo'] {
    const before = this.storedLogo;
    this.storedLogo = stored;
    if (stored === null) return null;
    if (before !== null && Buffer.compare(stored, before) === 0) return this.row.logo;
    try {
      return new Uint8Array(cleanStoredLogo(stored));
    } catch (error) {
      this.log.error(
        { reason: (error as Error).message },
        'stored logo is damaged; pages and documents show none',
      );
      return null;
    }
  }
}

export function brandOf({ productName, accent, logo, version }: InstallationRow): Brand {
  return { productName, accent, logo: logo === null ? null : `${LOGO_PATH}?v=${version}` };
}
