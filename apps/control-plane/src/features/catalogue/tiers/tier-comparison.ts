import { Args, InputType, ObjectType, Query, Resolver } from '@nestjs/graphql';
import { compareLimits } from '@tollgate/contracts';
import * as z from 'zod';
import { RequirePermission } from '../../../platform/access/require-permission.decorator.js';
import { enumOf, field, InputOf, ObjectOf } from '../../../platform/graphql/object-of.js';
import { Json } from '../../../platform/graphql/scalars.js';
import type { LimitRecord } from '../limits/limit-record.js';
import { Limit } from '../limits/limits.graphql.js';
import { TierVersion } from './tiers.graphql.js';
import { TiersRepository, type TierVersionRow } from './tiers.repository.js';
import { TiersService } from './tiers.service.js';

export const DifferenceKind = enumOf('DifferenceKind', 'How a limit differs between two versions.', {
  ADDED: 'Only in the second version.',
  REMOVED: 'Only in the first version.',
  CHANGED: 'In both versions, with differences.',
});
export type DifferenceKind = keyof typeof DifferenceKind;

const versionSchema = z.object({
  tierKey: z.string().describe('Key of the tier.'),
  version: z.int().describe('Number of the version, drafts included.'),
});

@InputType({ description: 'A version of a tier.' })
export class TierVersionRef extends InputOf(versionSchema) {}

@ObjectType({ description: 'A field with different values.' })
export class FieldDifference extends ObjectOf({
  field: field.string('Path in the limit, such as `limit` or `throttle.percent`.'),
  before: field.as<unknown>(() => Json, 'Value in the first version; null if absent.').nullable(),
  after: field.as<unknown>(() => Json, 'Value in the second version; null if absent.').nullable(),
}) {}

@ObjectType({ description: 'A limit that differs between two versions.' })
export class LimitDifference extends ObjectOf({
  apiKey: field.string('Key of its API.'),
  name: field.string('Name within the API.'),
  kind: field.of(() => DifferenceKind, 'How the limit differs.'),
  before: field.of(() => Limit, 'The limit in the first version; null if added.').nullable(),
  after: field.of(() => Limit, 'The limit in the second version; null if removed.').nullable(),
  fields: field.of(() => FieldDifference, 'Changed fields; empty unless `kind` is CHANGED.').list(),
  increased: field.boolean('Whether the second version admits more in some respect.'),
  decreased: field.boolean('Whether the second version admits less in some respect.'),
}) {}

@ObjectType({ description: 'Differences between two tier versions.' })
export class TierComparison extends ObjectOf({
  a: field.of(() => TierVersion, 'The first version.'),
  b: field.of(() => TierVersion, 'The second version.'),
  limits: field.of(() => LimitDifference, 'Limits with differences, by API and name.').list(),
  increased: field.int('Number of limits that admit more in some respect.'),
  decreased: field.int('Number of limits that admit less in some respect.'),
}) {}

/** Limits that differ between two versions, by API and name. */
function findDifferences(before: readonly LimitRecord[], after: readonly LimitRecord[]): LimitDifference[] {
  const { increased, decreased } = compareLimits(
    before.map(({ policy }) => policy),
    after.map(({ policy }) => policy),
  );
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
        increased: increased.includes(key),
        decreased: decreased.includes(key),
      },
    ];
  });
}

function byKey(limits: readonly LimitRecord[]): Map<string, LimitRecord> {
  return new Map(limits.map((limit) => [`${limit.apiKey}/${limit.name}`, limit]));
}

/** Fields with different values, by path. Lists are compared as a whole. */
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

@Resolver()
export class CompareResolver {
  constructor(
    private readonly service: TiersService,
    private readonly tiers: TiersRepository,
  ) {}

  @RequirePermission('tiers:read')
  @Query(() => TierComparison, {
    name: 'tierCompare',
    nullable: true,
    description: 'Compares two versions of one tier or of two; null if a version does not exist.',
  })
  async compare(
    @Args('a', { description: 'The first version.' }) a: TierVersionRef,
    @Args('b', { description: 'The second version.' }) b: TierVersionRef,
  ) {
    const [first, second] = [await this.find(a), await this.find(b)];
    if (first === null || second === null) return null;
    const limits = await this.tiers.listLimits([first.id, second.id]);
    const differences = findDifferences(limits.get(first.id) ?? [], limits.get(second.id) ?? []);
    return {
      a: first,
      b: second,
      limits: differences,
      increased: differences.filter(({ increased }) => increased).length,
      decreased: differences.filter(({ decreased }) => decreased).length,
    };
  }

  private async find({ tierKey, version }: TierVersionRef): Promise<TierVersionRow | null> {
    const tier = await this.service.findByKey(tierKey);
    return tier === null ? null : this.tiers.findVersion(tier.id, version);
  }
}
