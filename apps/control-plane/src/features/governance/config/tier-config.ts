import { Injectable } from '@nestjs/common';
import { TiersService, toLimitInput } from '../../catalogue/index.js';
import { invalid } from './config-error.js';
import { ConfigRefused, type ConfigRun } from './config-run.js';
import type { TierState } from './config-state.rules.js';

/** Puts tiers into force as a configuration says them. */
@Injectable()
export class TierConfig {
  constructor(private readonly tiers: TiersService) {}

  /** Creates or changes the tier; where its limits differ, a version with the new ones is published for everybody. */
  async apply(run: ConfigRun, key: string, wanted: TierState): Promise<void> {
    const present = run.present.tiers.get(key);
    const keeping = run.present.keptTiers.get(key);
    const path = ['tiers', key];
    let version = keeping?.version ?? 0;
    const { signUp, ...facts } = wanted.facts;
    const isOther = run.differs(path, present?.facts, wanted.facts);
    if (present === undefined) {
      version = run.valueOf(await this.tiers.create(run.caller, { key, ...facts }), path).version;
    }
    const before = present?.limits ?? [];
    if (JSON.stringify(before) !== JSON.stringify(wanted.limits)) {
      version = await this.publish(run, key, version, wanted, keeping?.hasDraft === true);
    }
    // Nobody can begin on a tier before it has a published version.
    if (isOther && (present !== undefined || signUp)) {
      const change = { tierKey: key, expectedVersion: version, ...facts, signUp };
      run.valueOf(await this.tiers.update(run.caller, change), path);
    }
  }

  /** Deletes a tier that nobody could ever be on; archives any other. */
  async remove(run: ConfigRun, key: string): Promise<void> {
    const keeping = run.present.keptTiers.get(key);
    if (keeping === undefined || keeping.isArchived) return;
    const path = ['tiers', key];
    const target = { tierKey: key, expectedVersion: keeping.version };
    run.note(keeping.wasPublished ? 'ARCHIVE' : 'DELETE', path);
    const outcome = keeping.wasPublished
      ? await this.tiers.archive(run.caller, target)
      : await this.tiers.delete(run.caller, target);
    run.valueOf(outcome, path, () => false);
  }

  private async publish(
    run: ConfigRun,
    tierKey: string,
    version: number,
    { limits }: TierState,
    hasDraft: boolean,
  ): Promise<number> {
    const path = ['tiers', tierKey, 'limits'];
    if (hasDraft) {
      const message = 'The tier has a draft that somebody made in the console. Publish or discard it first.';
      throw new ConfigRefused([invalid(path, message)]);
    }
    run.differs(path, { limits: run.present.tiers.get(tierKey)?.limits ?? [] }, { limits });
    const isNamed = (field: string) => field !== 'limits' && field !== 'tierKey';
    const draft = {
      tierKey,
      expectedVersion: version,
      limits: limits.map(toLimitInput),
      note: 'From configuration',
    };
    const saved = run.valueOf(await this.tiers.saveDraft(run.caller, draft), path, isNamed);
    const publication = { tierKey, expectedVersion: saved.version };
    return run.valueOf(await this.tiers.publish(run.caller, publication), path, isNamed).version;
  }
}
