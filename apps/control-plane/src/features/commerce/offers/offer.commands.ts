import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { AuditFacts, RecordedEntry } from '../../../platform/changes/audit-trail.js';
import type { Change } from '../../../platform/changes/change.js';
import { PolicyCommands } from '../../../platform/changes/policy-commands.js';
import { type OfferEffect, offerEffectsSchema } from './offer.effects.js';
import { showEffect } from './offer-effects.graphql.js';
import type { OfferChangeInput, OfferCreateInput, OfferUpdateInput } from './offers.graphql.js';
import { OffersRepository } from './offers.repository.js';
import { OffersService } from './offers.service.js';

/** What change sets may do to offers. */
@Injectable()
export class OfferCommands implements OnModuleInit {
  constructor(
    private readonly commands: PolicyCommands,
    private readonly service: OffersService,
    private readonly offers: OffersRepository,
  ) {}

  onModuleInit(): void {
    const permission = 'offers:write' as const;
    this.commands.register<OfferCreateInput>({
      name: 'offerCreate',
      action: 'offer.create',
      inputOf: async ({ after }) => ({ key: String(after?.key) }),
      inputType: 'OfferCreateInput',
      permission,
      run: (caller, _, input) => this.service.create(caller, input),
      revert: ({ key }) => [{ command: 'offerArchive', input: { offerKey: key } }],
    });
    this.commands.register<OfferUpdateInput>({
      name: 'offerUpdate',
      action: 'offer.update',
      inputOf,
      inputType: 'OfferUpdateInput',
      permission,
      run: async (caller, change, input) => this.service.update(caller, await this.current(change, input)),
      revert: ({ offerKey }, [done]) => [
        { command: 'offerUpdate', input: { offerKey, ...termsBefore(done) } },
      ],
    });
    this.commands.register<OfferChangeInput>({
      name: 'offerActivate',
      action: 'offer.activate',
      inputOf,
      inputType: 'OfferChangeInput',
      permission,
      run: async (caller, change, input) => this.service.activate(caller, await this.current(change, input)),
      revert: ({ offerKey }, _, later) =>
        later.some(({ command, input }) => command === 'offerArchive' && keyOf(input) === offerKey)
          ? []
          : [{ command: 'offerArchive', input: { offerKey } }],
    });
    this.commands.register<OfferChangeInput>({
      name: 'offerArchive',
      action: 'offer.archive',
      inputOf,
      inputType: 'OfferChangeInput',
      permission,
      run: async (caller, change, input) => this.service.archive(caller, await this.current(change, input)),
      revert: () => null,
      irrevocable: 'An archived offer is off sale for good. Make one of another key.',
    });
  }

  /** The input with the version that the offer has in this transaction. */
  private async current<I extends { offerKey: string }>(
    change: Change,
    input: I,
  ): Promise<I & { expectedVersion: number }> {
    const offer = await this.offers.lockByKey(change.tx, input.offerKey);
    return { ...input, expectedVersion: offer?.version ?? 0 };
  }
}

async function inputOf({ after }: RecordedEntry): Promise<{ offerKey: string }> {
  return { offerKey: String(after?.key) };
}

const keyOf = (input: object) => (input as OfferChangeInput).offerKey;

/** Everything of an offer that changes, as it was. */
function termsBefore(done: AuditFacts | undefined) {
  const before = (done?.before ?? {}) as Record<string, unknown>;
  const { name, description, kind, priceMinor, validDays, graceDays, tierKeys, maxQuantity, stock } = before;
  const effects = offerEffectsSchema
    .parse(before.effects)
    .map((effect: OfferEffect) => ({ ...showEffect(effect) }));
  const terms = { name, description, priceMinor, tierKeys, maxQuantity, effects };
  const amount = stock === null ? { isUnlimited: true } : { stock };
  return { ...terms, ...amount, ...(kind === 'TOPUP' ? { validDays } : { graceDays }) };
}
