import { Injectable } from '@nestjs/common';
import { SubjectRulesService, showSubjectEffect } from '../../customers/index.js';
import type { ConfigRun } from './config-run.js';
import { type SubjectRuleState, targetOf } from './config-state.rules.js';

/** Who has the rules: a tenant, or all tenants. */
interface RuleOwner {
  /** Null: rules for all tenants. */
  tenantKey: string | null;
  /** Path of the list in the document. */
  path: string[];
}

/** Applies the subject rules of a tenant, or of all tenants. */
@Injectable()
export class SubjectRuleConfig {
  constructor(private readonly subjectRules: SubjectRulesService) {}

  async apply(run: ConfigRun, owner: RuleOwner, wanted: readonly SubjectRuleState[]): Promise<void> {
    const { tenantKey } = owner;
    const present =
      tenantKey === null
        ? run.present.subjectRules.states
        : (run.present.tenants.get(tenantKey)?.state.subjectRules ?? []);
    for (const [index, rule] of wanted.entries()) {
      const path = [...owner.path, String(index)];
      const old = present.find((one) => targetOf(one) === targetOf(rule));
      // A rule without a start began when it was first applied.
      const starts = rule.starts ?? old?.starts ?? null;
      if (!run.differs(path, old, { ...rule, starts })) continue;
      const { dimension, pattern, api: apiKey, limit, effect, reason } = rule;
      const outcome = await this.subjectRules.set(run.caller, {
        ...{ tenantKey, dimension, pattern, apiKey, limit, reason },
        effect: { ...showSubjectEffect(effect) },
        expiresAt: rule.expires === null ? null : new Date(rule.expires),
        startsAt: rule.starts === null ? null : new Date(rule.starts),
      });
      run.valueOf(outcome, path);
    }
  }

  /** Removes rules that a configuration manages and this one does not name. */
  async prune(
    run: ConfigRun,
    { tenantKey, path }: RuleOwner,
    wanted: readonly SubjectRuleState[],
  ): Promise<void> {
    const { present } = run;
    const live =
      tenantKey === null ? present.subjectRules.live : (present.tenants.get(tenantKey)?.subjectRules ?? []);
    const named = new Set(wanted.map(targetOf));
    for (const { id, state, managedBy } of live) {
      if (managedBy !== 'CONFIG' || named.has(targetOf(state))) continue;
      run.note('DELETE', [...path, targetOf(state)]);
      const reason = 'Removed from the configuration';
      const outcome = await this.subjectRules.remove(run.caller, { tenantKey, id, reason });
      run.valueOf(outcome, path, () => false);
    }
  }
}
