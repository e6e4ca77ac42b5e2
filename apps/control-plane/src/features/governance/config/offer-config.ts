import { Injectable } from '@nestjs/common';
import { OffersService, showEffect } from '../../commerce/index.js';
import { invalid } from './config-error.js';
import { ConfigRefused, type ConfigRun } from './config-run.js';
import type { OfferState } from './offer-state.rules.js';

/** What never changes in an offer: what was sold under it goes on by it. */
const FIXED = ['kind', 'currency', 'interval', 'carryOver'] as const;

/** Puts offers on sale as a configuration says them. */
@Injectable()
export class OfferConfig {
  constructor(private readonly offers: OffersService) {}

  async apply(run: ConfigRun, key: string, wanted: OfferState): Promise<void> {
    const present = run.present.offers.get(key);
    const path = ['offers', key];
    if (!run.differs(path, present, wanted)) return;
    const { kind, currency, interval, carryOver, status, ...changeable } = wanted;
    const { price: priceMinor, tiers: tierKeys, effects, stock, graceDays, ...rest } = changeable;
    const grace = kind === 'UPGRADE' ? { graceDays } : {};
    const terms = { ...rest, ...grace, priceMinor, tierKeys, effects: effects.map(showEffect) };
    let version = run.present.keptOffers.get(key)?.version ?? 0;
    if (present === undefined) {
      const fixed = { key, kind, currency, interval, carryOver, stock };
      version = run.valueOf(await this.offers.create(run.caller, { ...fixed, ...terms }), path).version;
    } else {
      this.checkFixed(present, wanted, path);
      const isOther = run.isOther({ ...present, status }, wanted);
      const amount = stock === null ? { isUnlimited: true } : { stock };
      const change = { offerKey: key, expectedVersion: version, ...terms, ...amount };
      if (isOther) {
        const isNamed = (field: string) => field !== 'offerKey';
        version = run.valueOf(await this.offers.update(run.caller, change), path, isNamed).version;
      }
    }
    await this.move(run, { key, version, from: present?.status ?? 'DRAFT', to: status });
  }

  /** Takes what the configuration does not name any more off sale; what was bought goes on. */
  async remove(run: ConfigRun, key: string): Promise<void> {
    const present = run.present.offers.get(key);
    if (present === undefined || present.status === 'ARCHIVED') return;
    run.note('ARCHIVE', ['offers', key]);
    const version = run.present.keptOffers.get(key)?.version ?? 0;
    await this.move(run, { key, version, from: present.status, to: 'ARCHIVED' });
  }

  private async move(
    run: ConfigRun,
    { key, version, from, to }: { key: string; version: number; from: string; to: string },
  ): Promise<void> {
    if (from === to) return;
    const path = ['offers', key, 'status'];
    const target = { offerKey: key, expectedVersion: version };
    const outcome =
      to === 'ACTIVE'
        ? await this.offers.activate(run.caller, target)
        : await this.offers.archive(run.caller, target);
    run.valueOf(outcome, path, () => false);
  }

  private checkFixed(present: OfferState, wanted: OfferState, path: string[]): void {
    const errors = FIXED.filter((field) => present[field] !== wanted[field]).map((field) => {
      const message = `It is ${String(present[field]).toLowerCase()} for good. Make an offer of another key, and archive this one.`;
      return invalid([...path, field], message);
    });
    const ranks = ['DRAFT', 'ACTIVE', 'ARCHIVED'];
    if (ranks.indexOf(wanted.status) < ranks.indexOf(present.status)) {
      const message = `It is ${present.status.toLowerCase()} and is never ${wanted.status.toLowerCase()} again. Make an offer of another key.`;
      errors.push(invalid([...path, 'status'], message));
    }
    if (errors.length > 0) throw new ConfigRefused(errors);
  }
}
