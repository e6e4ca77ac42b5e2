import type { Caller } from '../../../platform/access/actor.js';
import { checkGrant } from '../../../platform/access/grants.js';
import type { Permission } from '../../../platform/access/permissions.js';
import type { Change } from '../../../platform/changes/change.js';
import type { Outcome } from '../../../platform/changes/outcome.js';
import type { UserError } from '../../../platform/graphql/mutation.graphql.js';
import { compareFields, type GuardTermsInput } from '../../catalogue/index.js';
import type { ConfigAction, ConfigChange } from './config.graphql.js';
import type { PresentState } from './config-state.repository.js';
import type { ConfigState } from './config-state.rules.js';

/** Thrown when a part of a configuration is rejected. */
export class ConfigRefused extends Error {
  constructor(readonly errors: UserError[]) {
    super('The configuration was rejected');
  }
}

/** One configuration while it is applied. */
export class ConfigRun {
  readonly changes: ConfigChange[] = [];
  /** The caller, permitted to change objects managed by configurations. */
  readonly caller: Caller;

  constructor(
    readonly change: Change,
    readonly wanted: ConfigState,
    readonly present: PresentState,
    readonly guard: GuardTermsInput | null,
  ) {
    this.caller = { actor: change.caller.actor, requestId: change.caller.requestId, fromConfig: true };
  }

  /** Whether the wanted state differs from the present one (undefined: absent); if so, the change is recorded. */
  differs(path: string[], before: object | undefined, after: object): boolean {
    const fields = compareFields(before ?? {}, after);
    if (before !== undefined && fields.length === 0) return false;
    this.note(before === undefined ? 'CREATE' : 'UPDATE', path, fields);
    return true;
  }

  isOther(before: object, after: object): boolean {
    return compareFields(before, after).length > 0;
  }

  /** Records a change. @throws ConfigRefused if the caller may not run its mutation */
  note(action: ConfigAction, path: string[], fields: ConfigChange['fields'] = []): void {
    const names = fields.map(({ field }) => field);
    const grant = { rights: permissionsFor(action, path, names), tenantKeys: [] };
    const forbidden = checkGrant(this.caller.actor, grant, ['document', ...path]);
    if (forbidden !== undefined) throw new ConfigRefused([forbidden]);
    this.changes.push({ action, path: path.join('.'), fields });
  }

  /**
   * The values of an outcome for a list of inputs, each with the path of its input in the document.
   * @throws ConfigRefused with paths in the document
   */
  valuesOf<T>(outcome: Outcome<T[]>, paths: readonly string[][], isNamed?: (field: string) => boolean): T[] {
    if (outcome.ok) return outcome.value;
    const errors = outcome.errors.map((error) => {
      const [index, ...field] = error.field ?? [];
      const path = index === undefined ? undefined : paths[Number(index)];
      return path === undefined
        ? { ...error, field: ['document', 'tenants'] }
        : toConfigError({ ...error, field }, path, isNamed);
    });
    throw new ConfigRefused(errors);
  }

  /** The value of an outcome. @throws ConfigRefused with paths in the document */
  valueOf<T>(outcome: Outcome<T>, path: string[], isNamed?: (field: string) => boolean): T {
    if (outcome.ok) return outcome.value;
    throw new ConfigRefused(outcome.errors.map((error) => toConfigError(error, path, isNamed)));
  }
}

/** @param isNamed whether a field of the mutation is in the document */
function toConfigError(
  { code, field, message }: UserError,
  path: readonly string[],
  isNamed: (field: string) => boolean = () => true,
): UserError {
  return { code, field: ['document', ...path, ...(field ?? []).filter(isNamed).map(configName)], message };
}

/** The permissions of the mutations that make the same change. */
function permissionsFor(
  action: ConfigAction,
  path: readonly string[],
  fields: readonly string[],
): Permission[] {
  const [kind, , part] = path;
  switch (kind) {
    case 'apis':
      return [part === 'defaultLimits' ? 'tiers:write' : 'apis:write'];
    case 'tiers':
      return ['tiers:write'];
    case 'offers':
      return ['offers:write'];
    case 'subjectRules':
      return ['overrides:write'];
    default: {
      if (part === 'overrides' || part === 'subjectRules' || part === 'floors') return ['overrides:write'];
      if (part === 'alerts') return ['alerts:write'];
      const isMove = action === 'UPDATE' && (fields.includes('tier') || fields.includes('pinnedVersion'));
      return isMove ? ['tenants:write', 'subscriptions:write'] : ['tenants:write'];
    }
  }
}

const CONFIG_NAMES: Record<string, string> = {
  windowMs: 'window',
  apiKey: 'api',
  limitName: 'limit',
  tierKey: 'tier',
  tierKeys: 'tiers',
  parentKey: 'parent',
  priceMinor: 'price',
  startsAt: 'starts',
  expiresAt: 'expires',
};

/** The name of a mutation's field in the document. */
function configName(field: string): string {
  return CONFIG_NAMES[field] ?? field;
}
