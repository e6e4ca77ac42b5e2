import { Args, Field, InputType, Int, ObjectType, Query, Resolver, registerEnumType } from '@nestjs/graphql';
import { compareLimits, type LimitPolicy } from '@tollgate/contracts';
import { RequirePermission } from '../../../platform/access/require-permission.decorator.js';
import { Json } from '../../../platform/graphql/scalars.js';
import { type LimitRecord } from '../limits/limit-record.js';
import { Limit } from '../limits/limits.graphql.js';
import { TierVersion } from './tiers.graphql.js';
import { TiersRepository, type TierVersionRow } from './tiers.repository.js';
import { TiersService } from './tiers.service.js';

export const DifferenceKind = { ADDED: 'ADDED', REMOVED: 'REMOVED', CHANGED: 'CHANGED' } as const;
export type DifferenceKind = keyof typeof DifferenceKind;

registerEnumType(DifferenceKind, {
  name: 'DifferenceKind',
  description: 'How a limit differs between two versions.',
  valuesMap: {
    ADDED: { description: 'Only in the second version.' },
    REMOVED: { description: 'Only in the first version.' },
    CHANGED: { description: 'In both versions, with differences.' },
  },
});

@InputType({ description: 'A version of a tier.' })
export class TierVersionRef {
  @Field({ description: 'Key of the tier.' })
  tierKey!: string;

  @Field(() => Int, { description: 'Number of the version, drafts included.' })
  version!: number;
}

@ObjectType({ description: 'A field with different values.' })
export class FieldDifference {
  @Field({ description: 'Path in the limit, such as `limit` or `throttle.percent`.' })
  field!: string;

  @Field(() => Json, { nullable: true, description: 'Value in the first version; null if absent.' })
  before!: unknown;

  @Field(() => Json, { nullable: true, description: 'Value in the second version; null if absent.' })
  after!: unknown;
}

@ObjectType({ description: 'A limit that differs between two versions.' })
export class LimitDifference {
  @Field({ description: 'Key of its API.' })
  apiKey!: string;

  @Field({ description: 'Name within the API.' })
  name!: string;

  @Field(() => DifferenceKind, { description: 'How the limit differs.' })
  kind!: DifferenceKind;

  @Field(() => Limit, { nullable: true, description: 'The limit in the first version; null if added.' })
  before!: Limit | null;

  @Field(() => Limit, { nullable: true, description: 'The limit in the second version; null if removed.' })
  after!: Limit | null;

  @Field(() => [FieldDifference], { description: 'Changed fields; empty unless `kind` is CHANGED.' })
  fields!: FieldDifference[];

  @Field({ description: 'Whether the second version admits more in some respect.' })
  increased!: boolean;

  @Field({ description: 'Whether the second version admits less in some respect.' })
  decreased!: boolean;
}

@ObjectType({ description: 'Differences between two tier versions.' })
export class TierComparison {
  @Field(() => TierVersion, { description: 'The first version.' })
  a!: TierVersion;

  @Field(() => TierVersion, { description: 'The second version.' })
  b!: TierVersion;

  @Field(() => [LimitDifference], { description: 'Limits with differences, by API and name.' })
  limits!: LimitDifference[];

  @Field(() => Int, { description: 'Number of limits that admit more in some respect.' })
  increased!: number;

  @Field(() => Int, { description: 'Number of limits that admit less in some respect.' })
  decreased!: number;
}

/** A limit that differs between two versions. */
export interface LimitDifferenceRow {
  apiKey: string;
  name: string;
  kind: DifferenceKind;
  before: LimitRecord | null;
  after: LimitRecord | null;
  fields: FieldDifference[];
  increased: boolean;
  decreased: boolean;
}

/** Limits that differ between two versions, by API and name. */
export function findDifferences(
  before: readonly LimitRecord[],
  after: readonly LimitRecord[],
): LimitDifferenceRow[] {
  const { increased, decreased } = compareLimits(before.map(policyOf), after.map(policyOf));
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

const policyOf = ({ policy }: LimitRecord): LimitPolicy => policy;

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
