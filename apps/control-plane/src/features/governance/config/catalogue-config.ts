import { Injectable } from '@nestjs/common';
import {
  ApisService,
  DefaultLimitsService,
  PoolsService,
  TiersService,
  toLimitInput,
} from '../../catalogue/index.js';
import { OffersService, showEffect } from '../../commerce/index.js';
import { ConfigRefused, type ConfigRun } from './config-run.js';
import { type ApiState, invalid, type OfferState, type TierState } from './config-state.rules.js';

/** Applies the APIs of a configuration. */
@Injectable()
export class ApiConfig {
  constructor(
    private readonly apis: ApisService,
    private readonly pools: PoolsService,
    private readonly defaults: DefaultLimitsService,
  ) {}

  /** Creates and changes the API, its operations, pools and default limits. */
  async apply(run: ConfigRun, key: string, wanted: ApiState): Promise<void> {
    const { apis, pools } = this;
    const present = run.present.apis.get(key)?.state;
    let expectedVersion = await this.applyFacts(run, key, wanted, present);
    for (const [name, operation] of wanted.operations) {
      const path = ['apis', key, 'operations', name];
      const old = present?.operations.get(name);
      if (!run.differs(path, old, operation)) continue;
      const input = { apiKey: key, name, expectedVersion, ...operation };
      const save =
        old === undefined ? apis.createOperation(run.caller, input) : apis.updateOperation(run.caller, input);
      expectedVersion = run.valueOf(await save, path).version;
    }
    for (const [name, pool] of wanted.pools) {
      const path = ['apis', key, 'pools', name];
      const old = present?.pools.get(name);
      if (!run.differs(path, old, pool)) continue;
      const input = { apiKey: key, name, expectedVersion, ...pool };
      const save = old === undefined ? pools.create(run.caller, input) : pools.update(run.caller, input);
      expectedVersion = run.valueOf(await save, path).version;
    }
    const before = { limits: present?.defaultLimits ?? [] };
    const after = { limits: wanted.defaultLimits };
    if (JSON.stringify(before) === JSON.stringify(after)) return;
    const path = ['apis', key, 'defaultLimits'];
    run.differs(path, before, after);
    const limits = wanted.defaultLimits.map(toLimitInput);
    const set = await this.defaults.set(run.caller, { apiKey: key, expectedVersion, limits });
    run.valueOf(set, path, (field) => field !== 'limits');
  }

  /** Deletes parts of the API that the configuration does not name. */
  async prune(run: ConfigRun, key: string, wanted: ApiState): Promise<void> {
    const present = run.present.apis.get(key)?.state;
    if (present === undefined) return;
    for (const kind of ['pools', 'operations'] as const) {
      for (const name of [...present[kind].keys()].filter((one) => !wanted[kind].has(one))) {
        const path = ['apis', key, kind, name];
        run.note('DELETE', path);
        const input = { apiKey: key, name, expectedVersion: await this.versionOf(run, key) };
        const outcome =
          kind === 'pools'
            ? await this.pools.delete(run.caller, input)
            : await this.apis.deleteOperation(run.caller, input);
        run.valueOf(outcome, path, () => false);
      }
    }
  }

  /** Deletes the API, after its default limits: tiers have copies of them. */
  async delete(run: ConfigRun, key: string): Promise<void> {
    const path = ['apis', key, 'defaultLimits'];
    if (run.differs(path, { limits: run.present.apis.get(key)?.state.defaultLimits ?? [] }, { limits: [] })) {
      const cleared = { apiKey: key, expectedVersion: await this.versionOf(run, key), limits: [] };
      run.valueOf(await this.defaults.set(run.caller, cleared), path, () => false);
    }
    run.note('DELETE', ['apis', key]);
    const expectedVersion = await this.versionOf(run, key);
    const outcome = await this.apis.delete(run.caller, { apiKey: key, expectedVersion });
    run.valueOf(outcome, ['apis', key], () => false);
  }

  private async applyFacts(
    run: ConfigRun,
    key: string,
    { facts }: ApiState,
    present: ApiState | undefined,
  ): Promise<number> {
    const path = ['apis', key];
    const version = run.present.apis.get(key)?.version ?? 0;
    if (!run.differs(path, present?.facts, facts)) return version;
    const outcome =
      present === undefined
        ? await this.apis.create(run.caller, { key, ...facts })
        : await this.apis.update(run.caller, { apiKey: key, expectedVersion: version, ...facts });
    return run.valueOf(outcome, path).version;
  }

  private async versionOf(run: ConfigRun, key: string): Promise<number> {
    return (await this.apis.findInChange(run.change, key))?.version ?? 0;
  }
}

/** Applies the tiers of a configuration. */
@Injectable()
export class TierConfig {
  constructor(private readonly tiers: TiersService) {}

  /** Creates or updates the tier; if its limits differ, publishes a new version to everyone. */
  async apply(run: ConfigRun, key: string, wanted: TierState): Promise<void> {
    const stored = run.present.tiers.get(key);
    const present = stored?.state;
    const path = ['tiers', key];
    let version = stored?.version ?? 0;
    const { signUp, ...facts } = wanted.facts;
    const isOther = run.differs(path, present?.facts, wanted.facts);
    if (present === undefined) {
      version = run.valueOf(await this.tiers.create(run.caller, { key, ...facts }), path).version;
    }
    const before = present?.limits ?? [];
    if (JSON.stringify(before) !== JSON.stringify(wanted.limits)) {
      version = await this.publish(run, key, version, wanted, stored);
    }
    // Sign-up requires a published version.
    if (isOther && (present !== undefined || signUp)) {
      const change = { tierKey: key, expectedVersion: version, ...facts, signUp };
      run.valueOf(await this.tiers.update(run.caller, change), path);
    }
  }

  /** Deletes a tier that was never published; archives any other. */
  async remove(run: ConfigRun, key: string): Promise<void> {
    const stored = run.present.tiers.get(key);
    if (stored === undefined || stored.isArchived) return;
    const path = ['tiers', key];
    const target = { tierKey: key, expectedVersion: stored.version };
    run.note(stored.wasPublished ? 'ARCHIVE' : 'DELETE', path);
    const outcome = stored.wasPublished
      ? await this.tiers.archive(run.caller, target)
      : await this.tiers.delete(run.caller, target);
    run.valueOf(outcome, path, () => false);
  }

  private async publish(
    run: ConfigRun,
    tierKey: string,
    version: number,
    { limits }: TierState,
    stored: { hasDraft: boolean; wasPublished: boolean } | undefined,
  ): Promise<number> {
    const path = ['tiers', tierKey, 'limits'];
    if (stored?.hasDraft === true) {
      const message = 'The tier has a draft. Publish or discard it first.';
      throw new ConfigRefused([invalid(path, message)]);
    }
    run.differs(path, { limits: run.present.tiers.get(tierKey)?.state.limits ?? [] }, { limits });
    const isNamed = (field: string) => field !== 'limits' && field !== 'tierKey';
    const draft = {
      tierKey,
      expectedVersion: version,
      limits: limits.map(toLimitInput),
      note: 'From configuration',
    };
    const saved = run.valueOf(await this.tiers.saveDraft(run.caller, draft), path, isNamed);
    const guard = stored?.wasPublished === true ? run.guard : null;
    const publication = { tierKey, expectedVersion: saved.version, guard };
    return run.valueOf(await this.tiers.publish(run.caller, publication), path, isNamed).version;
  }
}

/** Immutable fields of an offer, because purchases depend on them. */
const FIXED = ['kind', 'currency', 'interval', 'carryOver'] as const;

/** Applies the offers of a configuration. */
@Injectable()
export class OfferConfig {
  constructor(private readonly offers: OffersService) {}

  async apply(run: ConfigRun, key: string, wanted: OfferState): Promise<void> {
    const stored = run.present.offers.get(key);
    const present = stored?.state;
    const path = ['offers', key];
    if (!run.differs(path, present, wanted)) return;
    const { kind, currency, interval, carryOver, status, ...changeable } = wanted;
    const { price: priceMinor, tiers: tierKeys, effects, stock, graceDays, ...rest } = changeable;
    const grace = kind === 'UPGRADE' ? { graceDays } : {};
    const terms = { ...rest, ...grace, priceMinor, tierKeys, effects: effects.map(showEffect) };
    let version = stored?.version ?? 0;
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

  /** Archives an offer that the configuration no longer names; purchases are unaffected. */
  async remove(run: ConfigRun, key: string): Promise<void> {
    const stored = run.present.offers.get(key);
    if (stored === undefined || stored.state.status === 'ARCHIVED') return;
    run.note('ARCHIVE', ['offers', key]);
    const { version, state } = stored;
    await this.move(run, { key, version, from: state.status, to: 'ARCHIVED' });
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
      const message = `The ${field} of an offer cannot change from ${String(present[field]).toLowerCase()}. Create an offer with another key and archive this one.`;
      return invalid([...path, field], message);
    });
    const ranks = ['DRAFT', 'ACTIVE', 'ARCHIVED'];
    if (ranks.indexOf(wanted.status) < ranks.indexOf(present.status)) {
      const message = `The status cannot change from ${present.status.toLowerCase()} to ${wanted.status.toLowerCase()}. Create an offer with another key.`;
      errors.push(invalid([...path, 'status'], message));
    }
    if (errors.length > 0) throw new ConfigRefused(errors);
  }
}
