import { Injectable } from '@nestjs/common';
import { ApisService, DefaultLimitsService, PoolsService, toLimitInput } from '../../catalogue/index.js';
import type { ConfigRun } from './config-run.js';
import type { ApiState, PoolState } from './config-state.rules.js';

/** Puts APIs into force as a configuration says them. */
@Injectable()
export class ApiConfig {
  constructor(
    private readonly apis: ApisService,
    private readonly pools: PoolsService,
    private readonly defaults: DefaultLimitsService,
  ) {}

  /** Creates and changes the API, its operations, pools and default limits. */
  async apply(run: ConfigRun, key: string, wanted: ApiState): Promise<void> {
    const present = run.present.apis.get(key);
    const path = ['apis', key];
    let version = await this.applyFacts(run, key, wanted, present);
    for (const [name, operation] of wanted.operations) {
      const at = [...path, 'operations', name];
      const old = present?.operations.get(name);
      if (!run.differs(at, old, operation)) continue;
      const input = { apiKey: key, name, expectedVersion: version, ...operation };
      const outcome =
        old === undefined
          ? await this.apis.createOperation(run.caller, input)
          : await this.apis.updateOperation(run.caller, input);
      version = run.valueOf(outcome, at).version;
    }
    version = await this.applyPools(run, key, version, wanted, present);
    const before = { limits: present?.defaultLimits ?? [] };
    const after = { limits: wanted.defaultLimits };
    if (JSON.stringify(before) === JSON.stringify(after)) return;
    run.differs([...path, 'defaultLimits'], before, after);
    const limits = wanted.defaultLimits.map(toLimitInput);
    const set = await this.defaults.set(run.caller, { apiKey: key, expectedVersion: version, limits });
    run.valueOf(set, [...path, 'defaultLimits'], (field) => field !== 'limits');
  }

  /** Deletes what the API has and the configuration does not say. */
  async prune(run: ConfigRun, key: string, wanted: ApiState): Promise<void> {
    const present = run.present.apis.get(key);
    if (present === undefined) return;
    for (const name of [...present.pools.keys()].filter((one) => !wanted.pools.has(one))) {
      const path = ['apis', key, 'pools', name];
      run.note('DELETE', path);
      const expectedVersion = await this.versionOf(run, key);
      const target = { apiKey: key, name, expectedVersion };
      run.valueOf(await this.pools.delete(run.caller, target), path, () => false);
    }
    for (const name of [...present.operations.keys()].filter((one) => !wanted.operations.has(one))) {
      const path = ['apis', key, 'operations', name];
      run.note('DELETE', path);
      const expectedVersion = await this.versionOf(run, key);
      const target = { apiKey: key, name, expectedVersion };
      run.valueOf(await this.apis.deleteOperation(run.caller, target), path, () => false);
    }
  }

  async delete(run: ConfigRun, key: string): Promise<void> {
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
    const version = run.present.keptApis.get(key)?.version ?? 0;
    if (!run.differs(path, present?.facts, facts)) return version;
    const outcome =
      present === undefined
        ? await this.apis.create(run.caller, { key, ...facts })
        : await this.apis.update(run.caller, { apiKey: key, expectedVersion: version, ...facts });
    return run.valueOf(outcome, path).version;
  }

  private async applyPools(
    run: ConfigRun,
    apiKey: string,
    from: number,
    wanted: ApiState,
    present: ApiState | undefined,
  ): Promise<number> {
    let version = from;
    for (const [name, pool] of wanted.pools) {
      const path = ['apis', apiKey, 'pools', name];
      const old: PoolState | undefined = present?.pools.get(name);
      if (!run.differs(path, old, pool)) continue;
      const input = { apiKey, name, expectedVersion: version, ...pool };
      const outcome =
        old === undefined
          ? await this.pools.create(run.caller, input)
          : await this.pools.update(run.caller, input);
      version = run.valueOf(outcome, path).version;
    }
    return version;
  }

  private async versionOf(run: ConfigRun, key: string): Promise<number> {
    return (await this.apis.findInChange(run.change, key))?.version ?? 0;
  }
}
