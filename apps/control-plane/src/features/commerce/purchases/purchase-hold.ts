import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ArchiveGuards } from '../../customers/index.js';
import { PurchasesRepository } from './purchases.repository.js';

/** Keeps a tenant from being archived, unless it is forced, while something is paid for or may still be. */
@Injectable()
export class PurchaseHold implements OnModuleInit {
  constructor(
    private readonly guards: ArchiveGuards,
    private readonly purchases: PurchasesRepository,
  ) {}

  onModuleInit(): void {
    this.guards.register({
      what: 'open purchases',
      count: (tx, tenantId) => this.purchases.countOpen(tx, tenantId),
    });
  }
}
