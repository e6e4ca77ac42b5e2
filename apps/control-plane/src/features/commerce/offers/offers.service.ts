import { Injectable } from '@nestjs/common';
import type * as z from 'zod';
import type { Caller } from '../../../platform/access/actor.js';
import { type Change, findManaged } from '../../../platform/changes/change.js';
import { ChangeRunner } from '../../../platform/changes/change-runner.js';
import {
  conflict,
  invalid,
  notFound,
  type Outcome,
  parseInput,
  type Refusal,
  refuse,
  taken,
} from '../../../platform/changes/outcome.js';
import type { UserError } from '../../../platform/graphql/user-error.graphql.js';
import { OfferKind, OfferStatus } from '../../../platform/prisma/schema.js';
import { TiersRepository } from '../../catalogue/index.js';
import { type OfferEffect, offerEffectsSchema } from './offer.effects.js';
import { canHaveQuantity, offerChangeSchema, offerCreateSchema, offerUpdateSchema } from './offer.rules.js';
import type { OfferChangeInput, OfferCreateInput, OfferUpdateInput } from './offers.graphql.js';
import { type OfferRow, OffersRepository } from './offers.repository.js';

/** What can be done to offers. Purchases keep the terms that they were made under: a change is for those to come. */
@Injectable()
export class OffersService {
  constructor(
    private readonly offers: OffersRepository,
    private readonly tiers: TiersRepository,
    private readonly changes: ChangeRunner,
  ) {}

  /** Creates a draft. Refused: INVALID, NOT_FOUND, TAKEN. */
  async create(caller: Caller, input: OfferCreateInput): Promise<Outcome<OfferRow>> {
    const parsed = parseInput(offerCreateSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { reason, interval = null, validDays = null, stock = null, graceDays, ...rest } = parsed.data;
    const onTaken = taken(['key'], 'This key');
    return this.changes.run<OfferRow>(caller, { reason, onTaken }, async (change) => {
      const problems = await this.check(change, rest);
      if (problems.length > 0) return refuse(problems);
      const grace = rest.kind === OfferKind.TOPUP ? { graceDays: 0 } : graceDays == null ? {} : { graceDays };
      const data = { ...rest, ...grace, interval, validDays, stock };
      const offer = await this.offers.create(change.tx, data);
      await this.audit(change, 'offer.create', null, offer);
      return offer;
    });
  }

  /** Changes what is given, for purchases to come. Refused: INVALID, NOT_FOUND, CONFLICT, MANAGED_BY_CONFIG. */
  async update(caller: Caller, input: OfferUpdateInput): Promise<Outcome<OfferRow>> {
    const parsed = parseInput(offerUpdateSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    return this.changeOffer(caller, parsed.data, async (change, offer) => {
      if (offer.status === OfferStatus.ARCHIVED) {
        return refuse([invalid(['offerKey'], 'An archived offer does not change.')], offer);
      }
      const next = merge(offer, parsed.data);
      const problems = [...checkTerms(offer, parsed.data, next), ...(await this.check(change, next))];
      if (problems.length > 0) return refuse(problems, offer);
      const changed = await this.offers.update(change.tx, offer.id, next);
      await this.audit(change, 'offer.update', offer, changed);
      return changed;
    });
  }

  /** Puts a draft on sale. Refused: INVALID unless it is a draft, NOT_FOUND, CONFLICT. */
  activate(caller: Caller, input: OfferChangeInput): Promise<Outcome<OfferRow>> {
    return this.move(caller, input, OfferStatus.ACTIVE);
  }

  /** Takes an offer off sale for good; what was bought goes on. Refused: INVALID, NOT_FOUND, CONFLICT. */
  archive(caller: Caller, input: OfferChangeInput): Promise<Outcome<OfferRow>> {
    return this.move(caller, input, OfferStatus.ARCHIVED);
  }

  private async move(caller: Caller, input: OfferChangeInput, to: OfferStatus): Promise<Outcome<OfferRow>> {
    const parsed = parseInput(offerChangeSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    return this.changeOffer(caller, parsed.data, async (change, offer) => {
      const isAllowed = to === OfferStatus.ACTIVE ? offer.status === OfferStatus.DRAFT : offer.status !== to;
      if (!isAllowed) {
        const message = `The offer is ${offer.status.toLowerCase()} already; only a draft is put on sale.`;
        return refuse([invalid(['offerKey'], message)], offer);
      }
      const changed = await this.offers.setStatus(change.tx, offer.id, to);
      await this.audit(
        change,
        to === OfferStatus.ACTIVE ? 'offer.activate' : 'offer.archive',
        offer,
        changed,
      );
      return changed;
    });
  }

  private changeOffer(
    caller: Caller,
    { offerKey, expectedVersion, reason }: z.output<typeof offerChangeSchema>,
    work: (change: Change, offer: OfferRow) => Promise<OfferRow | Refusal<OfferRow>>,
  ): Promise<Outcome<OfferRow>> {
    return this.changes.run<OfferRow>(caller, { reason }, async (change) => {
      const offer = await this.offers.lockByKey(change.tx, offerKey);
      if (offer === null) return refuse([notFound(['offerKey'], `offer "${offerKey}"`)]);
      if (offer.version !== expectedVersion) return refuse([conflict('offer')], offer);
      const managed = findManaged(caller, offer, 'offer', reason);
      if (managed !== undefined) return refuse([managed], offer);
      return work(change, offer);
    });
  }

  /** What the offer names has to exist, and its quantity to mean something. */
  private async check(
    change: Change,
    { effects, tierKeys, maxQuantity }: { effects: OfferEffect[]; tierKeys: string[]; maxQuantity: number },
  ): Promise<UserError[]> {
    const problems: UserError[] = [];
    if (maxQuantity > 1 && !canHaveQuantity(effects)) {
      problems.push(invalid(['maxQuantity'], 'An offer that multiplies is bought one at a time.'));
    }
    for (const [index, key] of tierKeys.entries()) {
      if ((await this.tiers.findByKey(key, change.tx)) !== null) continue;
      problems.push(notFound(['tierKeys', String(index)], `tier "${key}"`));
    }
    for (const [index, { api, limit }] of effects.entries()) {
      if (api === undefined) continue;
      const found = await this.offers.hasLimit(change.tx, api, limit);
      const field = (name: string) => ['effects', String(index), name];
      if (found === 'no-api') problems.push(notFound(field('apiKey'), `API "${api}"`));
      if (found === 'no-limit')
        problems.push(notFound(field('limitName'), `limit "${limit}" in API "${api}"`));
    }
    return problems;
  }

  private audit(change: Change, action: string, before: OfferRow | null, after: OfferRow): Promise<void> {
    return change.audit({
      action,
      entity: 'Offer',
      entityId: after.id,
      before: before === null ? null : factsOf(before),
      after: factsOf(after),
    });
  }
}

type Update = z.output<typeof offerUpdateSchema>;

function merge(offer: OfferRow, update: Update) {
  return {
    name: update.name ?? offer.name,
    description: update.description ?? offer.description,
    priceMinor: BigInt(update.priceMinor ?? offer.priceMinor),
    validDays: update.validDays ?? offer.validDays,
    graceDays: update.graceDays ?? offer.graceDays,
    effects: update.effects ?? offerEffectsSchema.parse(offer.effects),
    tierKeys: update.tierKeys ?? offer.tierKeys,
    maxQuantity: update.maxQuantity ?? offer.maxQuantity,
    stock: update.isUnlimited ? null : (update.stock ?? offer.stock),
  };
}

function checkTerms(offer: OfferRow, update: Update, next: ReturnType<typeof merge>): UserError[] {
  const problems: UserError[] = [];
  if (update.isUnlimited && update.stock != null) {
    problems.push(invalid(['stock'], 'Either a stock or isUnlimited, not both.'));
  }
  if (next.stock !== null && next.stock < offer.taken) {
    problems.push(invalid(['stock'], `${offer.taken} are sold or ordered already.`));
  }
  if (offer.kind === OfferKind.UPGRADE && update.validDays != null) {
    problems.push(invalid(['validDays'], 'An upgrade renews; only a top-up expires.'));
  }
  if (offer.kind === OfferKind.TOPUP && update.graceDays != null) {
    problems.push(invalid(['graceDays'], 'A top-up does not renew, so it has no grace.'));
  }
  return problems;
}

function factsOf(offer: OfferRow) {
  const { id: _, createdAt: __, updatedAt: ___, managedBy: ____, priceMinor, effects, ...facts } = offer;
  return { ...facts, priceMinor: Number(priceMinor), effects: offerEffectsSchema.parse(effects) };
}
