import { Injectable, type OnModuleInit } from '@nestjs/common';
import { findChargeProblem } from '@tollgate/contracts';
import type { AuditAction } from '@tollgate/contracts/audit-actions';
import type * as z from 'zod';
import type { Caller } from '../../../platform/access/actor.js';
import type { AuditFacts, RecordedEntry } from '../../../platform/changes/audit-trail.js';
import { type Change, ChangeRunner, findManaged } from '../../../platform/changes/change.js';
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
import { PolicyCommands } from '../../../platform/changes/policy-commands.js';
import type { UserError } from '../../../platform/graphql/mutation.graphql.js';
import { OfferKind, OfferStatus } from '../../../platform/prisma/schema.js';
import { TiersRepository } from '../../catalogue/index.js';
import { offerEffectsSchema, type StoredOfferEffect, showEffect } from './offer-effects.js';
import {
  canHaveQuantity,
  type OfferChangeInput,
  type OfferCreateInput,
  type OfferUpdateInput,
  offerChangeSchema,
  offerCreateSchema,
  offerUpdateSchema,
} from './offers.graphql.js';
import { type OfferRow, OffersRepository } from './offers.repository.js';

/** Changes of offers. Existing purchases keep the terms of their order. */
@Injectable()
export class OffersService {
  constructor(
    private readonly offers: OffersRepository,
    private readonly tiers: TiersRepository,
    private readonly changes: ChangeRunner,
  ) {}

  /** Creates a draft. Errors: INVALID, NOT_FOUND, TAKEN. */
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

  /** Changes the given fields for future purchases. Errors: INVALID, NOT_FOUND, CONFLICT, MANAGED_BY_CONFIG. */
  async update(caller: Caller, input: OfferUpdateInput): Promise<Outcome<OfferRow>> {
    const parsed = parseInput(offerUpdateSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    return this.changeOffer(caller, parsed.data, async (change, offer) => {
      if (offer.status === OfferStatus.ARCHIVED) {
        return refuse([invalid(['offerKey'], 'Archived offers cannot be changed.')], offer);
      }
      const next = merge(offer, parsed.data);
      const problems = [...checkTerms(offer, parsed.data, next), ...(await this.check(change, next))];
      if (problems.length > 0) return refuse(problems, offer);
      const changed = await this.offers.update(change.tx, offer.id, next);
      await this.audit(change, 'offer.update', offer, changed);
      return changed;
    });
  }

  /** Confirms a price that is not certain. Errors: INVALID, NOT_FOUND, CONFLICT. */
  async confirmPrice(caller: Caller, input: OfferChangeInput): Promise<Outcome<OfferRow>> {
    const parsed = parseInput(offerChangeSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    return this.lockOffer(caller, parsed.data, async (change, offer) => {
      if (offer.isPriceConfirmed) {
        return refuse([invalid(['offerKey'], 'The price of this offer needs no confirmation.')], offer);
      }
      const problem = findChargeProblem(Number(offer.priceMinor), offer.currency);
      if (problem !== undefined)
        return refuse([invalid(['offerKey'], `Change the price: ${problem}`)], offer);
      const changed = await this.offers.confirmPrice(change.tx, offer.id);
      await this.audit(change, 'offer.priceConfirm', offer, changed);
      return changed;
    });
  }

  /** Activates a draft. Errors: INVALID, NOT_FOUND, CONFLICT. */
  activate(caller: Caller, input: OfferChangeInput): Promise<Outcome<OfferRow>> {
    return this.setStatus(caller, input, OfferStatus.ACTIVE);
  }

  /** Archives an offer permanently; existing purchases are unaffected. Errors: INVALID, NOT_FOUND, CONFLICT. */
  archive(caller: Caller, input: OfferChangeInput): Promise<Outcome<OfferRow>> {
    return this.setStatus(caller, input, OfferStatus.ARCHIVED);
  }

  private async setStatus(
    caller: Caller,
    input: OfferChangeInput,
    to: OfferStatus,
  ): Promise<Outcome<OfferRow>> {
    const parsed = parseInput(offerChangeSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    return this.changeOffer(caller, parsed.data, async (change, offer) => {
      const isAllowed = to === OfferStatus.ACTIVE ? offer.status === OfferStatus.DRAFT : offer.status !== to;
      if (!isAllowed) {
        const message = `The offer is ${offer.status.toLowerCase()}. Only drafts can be activated.`;
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

  /** Changes terms, which configuration may manage. */
  private changeOffer(
    caller: Caller,
    input: z.output<typeof offerChangeSchema>,
    work: (change: Change, offer: OfferRow) => Promise<OfferRow | Refusal<OfferRow>>,
  ): Promise<Outcome<OfferRow>> {
    return this.lockOffer(caller, input, async (change, offer) => {
      const managed = findManaged(caller, offer, 'offer', input.reason);
      if (managed !== undefined) return refuse([managed], offer);
      return work(change, offer);
    });
  }

  private lockOffer(
    caller: Caller,
    { offerKey, expectedVersion, reason }: z.output<typeof offerChangeSchema>,
    work: (change: Change, offer: OfferRow) => Promise<OfferRow | Refusal<OfferRow>>,
  ): Promise<Outcome<OfferRow>> {
    return this.changes.run<OfferRow>(caller, { reason }, async (change) => {
      const offer = await this.offers.lockByKey(change.tx, offerKey);
      if (offer === null) return refuse([notFound(['offerKey'], `offer "${offerKey}"`)]);
      if (offer.version !== expectedVersion) return refuse([conflict('offer')], offer);
      return work(change, offer);
    });
  }

  /** Checks that the tiers, APIs and limits exist and that the offer can be bought in quantities. */
  private async check(
    change: Change,
    {
      effects,
      tierKeys,
      maxQuantity,
    }: { effects: StoredOfferEffect[]; tierKeys: string[]; maxQuantity: number },
  ): Promise<UserError[]> {
    const problems: UserError[] = [];
    if (maxQuantity > 1 && !canHaveQuantity(effects)) {
      problems.push(invalid(['maxQuantity'], 'An offer that multiplies limits must have maxQuantity 1.'));
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

  private audit(
    change: Change,
    action: AuditAction,
    before: OfferRow | null,
    after: OfferRow,
  ): Promise<void> {
    return change.audit({
      action,
      entityId: after.id,
      entityName: after.name,
      entityKey: after.key,
      before: before === null ? null : factsOf(before),
      after: factsOf(after),
    });
  }
}

type Update = z.output<typeof offerUpdateSchema>;

function merge(offer: OfferRow, update: Update) {
  const isPriceChanged = update.priceMinor != null && BigInt(update.priceMinor) !== offer.priceMinor;
  return {
    isPriceConfirmed: offer.isPriceConfirmed || isPriceChanged,
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
  const problem = findChargeProblem(Number(next.priceMinor), offer.currency);
  if (update.priceMinor != null && problem !== undefined) problems.push(invalid(['priceMinor'], problem));
  if (update.isUnlimited && update.stock != null) {
    problems.push(invalid(['stock'], 'Set either stock or isUnlimited.'));
  }
  if (next.stock !== null && next.stock < offer.taken) {
    problems.push(invalid(['stock'], `${offer.taken} units are already sold or ordered.`));
  }
  if (offer.kind === OfferKind.UPGRADE && update.validDays != null) {
    problems.push(invalid(['validDays'], 'Only a top-up can have validDays.'));
  }
  if (offer.kind === OfferKind.TOPUP && update.graceDays != null) {
    problems.push(invalid(['graceDays'], 'Only an upgrade can have graceDays.'));
  }
  return problems;
}

function factsOf(offer: OfferRow) {
  const { id: _, createdAt: __, updatedAt: ___, managedBy: ____, priceMinor, effects, ...facts } = offer;
  return { ...facts, priceMinor: Number(priceMinor), effects: offerEffectsSchema.parse(effects) };
}

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
      irrevocable: 'An archived offer cannot be restored. Create a new offer with another key.',
    });
  }

  /** The input with the offer's version in this transaction. */
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

function termsBefore(done: AuditFacts | undefined) {
  const before = (done?.before ?? {}) as Record<string, unknown>;
  const { name, description, kind, priceMinor, validDays, graceDays, tierKeys, maxQuantity, stock } = before;
  const effects = offerEffectsSchema.parse(before.effects).map((effect) => ({ ...showEffect(effect) }));
  const terms = { name, description, priceMinor, tierKeys, maxQuantity, effects };
  const amount = stock === null ? { isUnlimited: true } : { stock };
  return { ...terms, ...amount, ...(kind === 'TOPUP' ? { validDays } : { graceDays }) };
}
