import {
  type Adjustment,
  type LimitPolicy,
  type PlatformRule,
  resolveLimit,
  type SubjectEffect,
  type SubjectRule,
} from '@tollgate/contracts';
import { getOrAdd } from '@tollgate/contracts/maps';
import { PatternIndex, parseSubjectPattern, type SubjectPattern, specificityOf } from './subject-patterns.js';

type Subject = Readonly<Record<string, string>> | undefined;
type LimitName = Pick<LimitPolicy, 'api' | 'name'>;

interface CompiledRule {
  readonly id: string;
  readonly effect: SubjectEffect;
  readonly specificity: number;
  readonly fromMs: number;
  readonly untilMs: number;
  readonly change: LimitChange | undefined;
}

function isActive({ fromMs, untilMs }: CompiledRule, nowMs: number): boolean {
  return fromMs <= nowMs && nowMs < untilMs;
}

/** Changes the number of a limit, as an override does. */
export interface LimitChange {
  /** Equal for changes with the same result. */
  readonly key: string;
  apply(limit: LimitPolicy): LimitPolicy;
}

/** Whether a rule with a pattern may apply to a request whose values are not all known. */
export type MayMatch = (dimension: string, pattern: SubjectPattern) => boolean;

/** Rules with one purpose by dimension. */
class RuleIndex {
  private readonly byDimension = new Map<string, PatternIndex<CompiledRule>>();
  private readonly rules: { dimension: string; pattern: SubjectPattern; rule: CompiledRule }[] = [];

  add(dimension: string, pattern: SubjectPattern, rule: CompiledRule): void {
    getOrAdd(this.byDimension, dimension, () => new PatternIndex<CompiledRule>()).add(pattern, rule);
    this.rules.push({ dimension, pattern, rule });
  }

  /** Whether any active rule may apply. */
  mayApply(mayMatch: MayMatch, nowMs: number): boolean {
    return this.rules.some(
      ({ dimension, pattern, rule }) => isActive(rule, nowMs) && mayMatch(dimension, pattern),
    );
  }

  /** The most specific active rule by any of the subject's values; of several, by the dimension that was added first. */
  find(subject: Subject, nowMs: number): CompiledRule | undefined {
    return this.findBy(this.byDimension.keys(), subject, nowMs);
  }

  /** As `find`, by some dimensions; of several rules, by the dimension named first. */
  findBy(dimensions: Iterable<string>, subject: Subject, nowMs: number): CompiledRule | undefined {
    let found: CompiledRule | undefined;
    for (const dimension of dimensions) {
      // `hasOwn`: a dimension may be named `constructor`.
      const value =
        subject !== undefined && Object.hasOwn(subject, dimension) ? subject[dimension] : undefined;
      const index = value === undefined ? undefined : this.byDimension.get(dimension);
      const rule = index?.find(value as string, (one) => isActive(one, nowMs));
      if (rule !== undefined && (found === undefined || rule.specificity > found.specificity)) found = rule;
    }
    return found;
  }
}

interface LimitRules {
  readonly exempt: RuleIndex;
  readonly changes: RuleIndex;
}

/** Rules of one tenant, or of the platform, for one API. */
class ApiRules {
  readonly denied = new RuleIndex();
  readonly exempt = new RuleIndex();
  readonly limits = new Map<string, LimitRules>();
  /** Starts and ends of rules, Unix ms. */
  readonly changesMs: number[] = [];
  private size = 0;

  constructor(rules: readonly (SubjectRule | PlatformRule)[], api: string) {
    for (const rule of rules) if (rule.api === undefined || rule.api === api) this.add(rule);
  }

  get isEmpty(): boolean {
    return this.size === 0;
  }

  private add(rule: SubjectRule | PlatformRule): void {
    const { dimension, effect, fromMs = Number.NEGATIVE_INFINITY, untilMs = Number.POSITIVE_INFINITY } = rule;
    const pattern = patternOf(rule);
    const change = limitChangeOf(rule.id, effect);
    const compiled = { id: rule.id, effect, specificity: specificityOf(pattern), fromMs, untilMs, change };
    this.indexFor(rule, change).add(dimension, pattern, compiled);
    this.changesMs.push(fromMs, untilMs);
    this.size++;
  }

  private indexFor(rule: SubjectRule | PlatformRule, change: LimitChange | undefined): RuleIndex {
    const limit = 'limit' in rule ? rule.limit : undefined;
    if (limit === undefined) return rule.effect.kind === 'deny' ? this.denied : this.exempt;
    const ofLimit = getOrAdd(this.limits, limit, () => ({
      exempt: new RuleIndex(),
      changes: new RuleIndex(),
    }));
    return change === undefined ? ofLimit.exempt : ofLimit.changes;
  }
}

function patternOf({ id, dimension, pattern }: SubjectRule | PlatformRule): SubjectPattern {
  const parsed = parseSubjectPattern(dimension, pattern);
  if (typeof parsed === 'string') throw new Error(`subject rule ${id}: ${parsed}`);
  return parsed.pattern;
}

/**
 * Rejects a policy with a pattern that this node cannot read, such as one of a later version: the node keeps the former policy. Without the
 * rule, it would admit subjects that the rule denies.
 * @throws Error that names rule and pattern
 */
export function checkSubjectRules(rules: readonly (SubjectRule | PlatformRule)[] = []): void {
  for (const rule of rules) patternOf(rule);
}

/** Undefined for effects on access. @param id of the rule */
export function limitChangeOf(id: string, effect: SubjectEffect): LimitChange | undefined {
  if (effect.kind !== 'set' && effect.kind !== 'multiply') return undefined;
  const key = effect.kind === 'set' ? `=${effect.limit}` : `*${effect.percent}`;
  const apply = (limit: LimitPolicy) => {
    const { api, name } = limit;
    const adjustment: Adjustment = { id, source: 'override', api, limit: name, effect };
    return resolveLimit(limit, [adjustment]).policy;
  };
  return { key, apply };
}

/** Access by a rule on all limits; `rule` is its id. */
export type SubjectAccess =
  | { readonly kind: 'exempt'; readonly rule: string }
  | { readonly kind: 'deny'; readonly rule: string; readonly message?: string | undefined };

/** A rule that decides on a limit for a subject, by its id: access to the API or the limit, or another number. */
export type SubjectTreatment =
  | SubjectAccess
  | { readonly kind: 'change'; readonly rule: string; readonly change: LimitChange };

/** The rules that apply to a tenant's requests to one API: its own, then those of the platform. */
export class SubjectRules {
  /** Rules of the platform concern no single limit. */
  private readonly ofLimits: ReadonlyMap<string, LimitRules>;

  constructor(private readonly sources: readonly ApiRules[]) {
    this.ofLimits = sources[0]?.limits ?? new Map();
  }

  /** Deny precedes exempt. */
  accessOf(subject: Subject, nowMs: number): SubjectAccess | undefined {
    for (const { denied } of this.sources) {
      const rule = denied.find(subject, nowMs);
      if (rule?.effect.kind === 'deny') return { ...rule.effect, rule: rule.id };
    }
    for (const { exempt } of this.sources) {
      const rule = exempt.find(subject, nowMs);
      if (rule !== undefined) return { kind: 'exempt', rule: rule.id };
    }
    return undefined;
  }

  /** Id of the rule that exempts the subject from one limit; undefined: none. */
  exemptionOf({ name }: LimitName, subject: Subject, nowMs: number): string | undefined {
    return this.ofLimits.get(name)?.exempt.find(subject, nowMs)?.id;
  }

  /**
   * A limit is changed by a value that it counts by, so that all requests of a counter have the same limit.
   * @param dimensions that the limit counts by
   */
  changeOf(
    { name }: LimitName,
    dimensions: readonly string[],
    subject: Subject,
    nowMs: number,
    ignoresAccess = false,
  ): LimitChange | 'exempt' | undefined {
    const rules = this.ofLimits.get(name);
    if (rules === undefined) return undefined;
    if (!ignoresAccess && rules.exempt.find(subject, nowMs) !== undefined) return 'exempt';
    return rules.changes.findBy(dimensions, subject, nowMs)?.change;
  }

  /** Id of the rule by which `changeOf` changes a limit; undefined: none does. */
  changingRuleOf(
    { name }: LimitName,
    dimensions: readonly string[],
    subject: Subject,
    nowMs: number,
  ): string | undefined {
    return this.ofLimits.get(name)?.changes.findBy(dimensions, subject, nowMs)?.id;
  }

  /** What requests of a subject meet at a limit: `accessOf`, then as `changeOf`; undefined: no rule concerns it. */
  treatmentOf(
    { name }: LimitName,
    dimensions: readonly string[],
    subject: Subject,
    nowMs: number,
  ): SubjectTreatment | undefined {
    const access = this.accessOf(subject, nowMs);
    const rules = this.ofLimits.get(name);
    if (access !== undefined || rules === undefined) return access;
    const exempt = rules.exempt.find(subject, nowMs);
    if (exempt !== undefined) return { kind: 'exempt', rule: exempt.id };
    const { id, change } = rules.changes.findBy(dimensions, subject, nowMs) ?? {};
    return id === undefined || change === undefined ? undefined : { kind: 'change', rule: id, change };
  }

  /** Whether a rule on all limits may deny or exempt a request. */
  mayDecideAccess(mayMatch: MayMatch, nowMs: number): boolean {
    return this.sources.some(
      ({ denied, exempt }) => denied.mayApply(mayMatch, nowMs) || exempt.mayApply(mayMatch, nowMs),
    );
  }

  /** Whether a rule may lift or change a limit for a request. */
  mayChange({ name }: LimitName, dimensions: readonly string[], mayMatch: MayMatch, nowMs: number): boolean {
    const rules = this.ofLimits.get(name);
    if (rules === undefined) return false;
    const mayMatchCounted: MayMatch = (dimension, pattern) =>
      dimensions.includes(dimension) && mayMatch(dimension, pattern);
    return rules.exempt.mayApply(mayMatch, nowMs) || rules.changes.mayApply(mayMatchCounted, nowMs);
  }

  /** When a rule starts or ends next, Unix ms; Infinity: never. */
  untilMs(nowMs: number): number {
    const changes = this.sources.flatMap(({ changesMs }) => changesMs.filter((atMs) => atMs > nowMs));
    return changes.reduce((first, atMs) => Math.min(first, atMs), Number.POSITIVE_INFINITY);
  }
}

/** Compiled once per record and API. */
export class RuleBook {
  private readonly own = new WeakMap<readonly SubjectRule[], Map<string, SubjectRules | undefined>>();
  private readonly ofPlatform = new Map<string, ApiRules>();
  private readonly shared = new Map<string, SubjectRules | undefined>();

  /** @throws Error for a pattern that is invalid */
  constructor(private readonly platform: readonly PlatformRule[] = []) {
    checkSubjectRules(platform);
  }

  /** Undefined: none. @param api must be known: each is kept */
  find(own: readonly SubjectRule[] | undefined, api: string): SubjectRules | undefined {
    if (own === undefined && this.platform.length === 0) return undefined;
    const known = own === undefined ? this.shared : getOrAdd(this.own, own, () => new Map());
    if (!known.has(api)) known.set(api, this.compile(own, api));
    return known.get(api);
  }

  private compile(own: readonly SubjectRule[] = [], api: string): SubjectRules | undefined {
    const platform = getOrAdd(this.ofPlatform, api, () => new ApiRules(this.platform, api));
    const sources = [new ApiRules(own, api), platform].filter((rules) => !rules.isEmpty);
    return sources.length === 0 ? undefined : new SubjectRules(sources);
  }
}
