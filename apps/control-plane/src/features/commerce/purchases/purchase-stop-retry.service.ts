import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../platform/access/actor.js';
import { ChangeRunner } from '../../../platform/changes/change-runner.js';
import { notFound, type Outcome, parseInput, refuse, userError } from '../../../platform/changes/outcome.js';
import { UserErrorCode } from '../../../platform/graphql/user-error.graphql.js';
import { purchaseChangeSchema } from './purchase.rules.js';
import { PurchaseAccess } from './purchase-access.js';
import { PurchaseStops } from './purchase-stops.js';
import type { PurchaseCancelInput } from './purchases.graphql.js';
import { type PurchaseOfTenant, PurchasesRepository } from './purchases.repository.js';

/** What somebody does about a provider that did not stop. */
@Injectable()
export class PurchaseStopRetryService {
  constructor(
    private readonly purchases: PurchasesRepository,
    private readonly access: PurchaseAccess,
    private readonly stops: PurchaseStops,
    private readonly changes: ChangeRunner,
  ) {}

  /** Asks the provider at once, and from there on as if for the first time. Refused: NOT_FOUND, INVALID. */
  async retry(caller: Caller, input: PurchaseCancelInput): Promise<Outcome<PurchaseOfTenant>> {
    const parsed = parseInput(purchaseChangeSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { purchaseId, reason } = parsed.data;
    const purchase = await this.access.find(caller.actor, purchaseId, 'payments:write');
    if (purchase === null) return refuse([notFound(['purchaseId'], `purchase "${purchaseId}"`)]);
    if (!purchase.stopDue) {
      const message = 'There is nothing that its provider is still to be told.';
      return refuse([userError(UserErrorCode.INVALID, ['purchaseId'], message)], purchase);
    }
    const begun = await this.changes.run<PurchaseOfTenant>(caller, { reason }, async (change) => {
      await change.audit({
        action: 'purchase.stopRetry',
        entity: 'Purchase',
        entityId: purchaseId,
        tenantKey: purchase.tenant.key,
        before: { attempts: purchase.stopAttempts, error: purchase.stopError },
        after: { attempts: 0 },
      });
      const data = { stopAttempts: 0, stopRetryAt: null, stopError: null };
      return this.purchases.update(change.tx, purchaseId, data);
    });
    if (!begun.ok || caller.dryRun === true) return begun;
    await this.stops.attempt(begun.value);
    return { ...begun, value: (await this.purchases.findById(purchaseId)) ?? begun.value };
  }
}
