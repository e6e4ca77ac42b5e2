import { compareLimits, type LimitPolicy } from '@tollgate/contracts';
import type { LimitRecord } from '../limit-record.js';
import type { DifferenceKind, FieldDifference } from './compare.graphql.js';

/** A limit in which two versions differ. */
export interface LimitDifferenceRow {
  apiKey: string;
  name: string;
  kind: DifferenceKind;
  before: LimitRecord | null;
  after: LimitRecord | null;
  fields: FieldDifference[];
  loosened: boolean;
  tightened: boolean;
}

/** In which limits two versions differ, by API and name. */
export function findDifferences(
  before: readonly LimitRecord[],
  after: readonly LimitRecord[],
): LimitDifferenceRow[] {
  const { loosened, tightened } = compareLimits(before.map(policyOf), after.map(policyOf));
  const [old, next] = [byKey(before), byKey(after)];
  return [...new Set([...old.keys(), ...next.keys()])].sort().flatMap((key) => {
    const [a, b] = [old.get(key) ?? null, next.get(key) ?? null];
    const one = (b ?? a) as LimitRecord;
    const fields = a === null || b === null ? [] : compareFields(a.policy, b.policy);
    if (a !== null && b !== null && fields.length === 0) return [];
    const kind = a === null ? 'ADDED' : b === null ? 'REMOVED' : 'CHANGED';
    return [
      {
        apiKey: one.apiKey,
        name: one.name,
        kind,
        before: a,
        after: b,
        fields,
        loosened: loosened.includes(key),
        tightened: tightened.includes(key),
      },
    ];
  });
}

const policyOf = ({ policy }: LimitRecord): LimitPolicy => policy;

function byKey(limits: readonly LimitRecord[]): Map<string, LimitRecord> {
  return new Map(limits.map((limit) => [`${limit.apiKey}/${limit.name}`, limit]));
}

/** In which fields two objects differ, by their paths. Lists are compared as a whole. */
export function compareFields(before: object, after: object): FieldDifference[] {
  const [old, next] = [flatten(before), flatten(after)];
  return [...new Set([...old.keys(), ...next.keys()])].flatMap((field) => {
    const [a = null, b = null] = [old.get(field), next.get(field)];
    return JSON.stringify(a) === JSON.stringify(b) ? [] : [{ field, before: a, after: b }];
  });
}

function flatten(value: object, path = ''): Map<string, unknown> {
  return new Map(
    Object.entries(value).flatMap(([name, one]): [string, unknown][] =>
      typeof one === 'object' && one !== null && !Array.isArray(one)
        ? [...flatten(one, `${path}${name}.`)]
        : [[path + name, one]],
    ),
  );
}
