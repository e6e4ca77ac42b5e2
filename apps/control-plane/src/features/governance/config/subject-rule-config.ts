import { Injectable } from '@nestjs/common';
import { SubjectRulesService, showSubjectEffect } from '../../customers/index.js';
import type { ConfigRun } from './config-run.js';
import type { StoredPart } from './config-state.repository.js';
import { type SubjectRuleState, targetOf } from './config-state.rules.js';

/** Who has the rules: a tenant, or all tenants. */
interface RuleOwner {
  /** Null: rules for all tenants. */
  tenantKey: string | null;
  /** Path of the list in the document. */
  path: string[];
}

interface RuleStep<R> {
  tenantKey: string | null;
  path: string[];
  rule: R;
}

/** Applies the subject rules of tenants, or of all tenants. */
@Injectable()
export class SubjectRuleConfig {
  constructor(private readonly subjectRules: SubjectRulesService) {}

  /** Records the changes of an owner. @throws ConfigRefused */
  plan(
    run: ConfigRun,
    { tenantKey, path: list }: RuleOwner,
    wanted: readonly SubjectRuleState[],
  ): RuleStep<SubjectRuleState>[] {
    const present =
      tenantKey === null
        ? run.present.subjectRules.states
        : (run.present.tenants.get(tenantKey)?.state.subjectRules ?? []);
    return wanted.flatMap((rule, index) => {
      const path = [...list, String(index)];
      const old = present.find((one) => targetOf(one) === targetOf(rule));
      // A rule without a start began when it was first applied.
      const starts = rule.starts ?? old?.starts ?? null;
      return run.differs(path, old, { ...rule, starts }) ? [{ tenantKey, path, rule }] : [];
    });
  }

  /** @throws ConfigRefused */
  async apply(run: ConfigRun, steps: readonly RuleStep<SubjectRuleState>[]): Promise<void> {
    if (steps.length === 0) return;
    const inputs = steps.map(({ tenantKey, rule }) => {
      const { dimension, pattern, api: apiKey, limit, effect, starts, expires, reason } = rule;
      return {
        ...{ tenantKey, dimension, pattern, apiKey, limit, reason },
        effect: { ...showSubjectEffect(effect) },
        expiresAt: expires === null ? null : new Date(expires),
        startsAt: starts === null ? null : new Date(starts),
      };
    });
    const paths = steps.map(({ path }) => path);
    run.valuesOf(await this.subjectRules.setAll(run.caller, inputs), paths);
  }

  /** Records the removal of rules that a configuration manages and this one does not name. @throws ConfigRefused */
  planPrune(
    run: ConfigRun,
    { tenantKey, path }: RuleOwner,
    wanted: readonly SubjectRuleState[],
  ): RuleStep<StoredPart<SubjectRuleState>>[] {
    const { present } = run;
    const live =
      tenantKey === null ? present.subjectRules.live : (present.tenants.get(tenantKey)?.subjectRules ?? []);
    const named = new Set(wanted.map(targetOf));
    return live.flatMap((rule) => {
      if (rule.managedBy !== 'CONFIG' || named.has(targetOf(rule.state))) return [];
      run.note('DELETE', [...path, targetOf(rule.state)]);
      return [{ tenantKey, path, rule }];
    });
  }

  /** @throws ConfigRefused */
  async prune(run: ConfigRun, steps: readonly RuleStep<StoredPart<SubjectRuleState>>[]): Promise<void> {
    if (steps.length === 0) return;
    const reason = 'Removed from the configuration';
    const inputs = steps.map(({ tenantKey, rule: { id } }) => ({ tenantKey, id, reason }));
    const paths = steps.map(({ path }) => path);
    run.valuesOf(await this.subjectRules.removeAll(run.caller, inputs), paths, () => false);
  }
}
