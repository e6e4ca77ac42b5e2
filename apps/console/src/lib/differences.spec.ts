import { readFileSync } from 'node:fs';
import {
  buildSchema,
  type GraphQLInputType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { describeCommand, describeInput, differencesOf, limitChangesOf, targetOf } from './differences.js';

const SCHEMA = buildSchema(
  readFileSync(new URL('../../../control-plane/schema.graphql', import.meta.url), 'utf8'),
);

/** An identifier in camelCase or SCREAMING_CASE, except words that are written so. */
const IDENTIFIER = /\b[a-z]+[A-Z]\w*|\b(?!(?:API|ID|IP|URL|UTC|USD)\b)[A-Z]{2,}(?:_[A-Z]+)*\b/;

/** A value of an input type: `pick` selects among the values of enums, so that all appear over several calls. */
function sample(type: GraphQLInputType, pick: number, depth = 0): unknown {
  if (isNonNullType(type)) return sample(type.ofType, pick, depth);
  if (isListType(type)) return [sample(type.ofType, pick, depth)];
  if (isEnumType(type)) return type.getValues()[pick % type.getValues().length]?.name;
  if (isInputObjectType(type)) {
    if (depth > 3) return undefined;
    const fields = Object.values(type.getFields());
    return Object.fromEntries(fields.map((field) => [field.name, sample(field.type, pick, depth + 1)]));
  }
  const scalars: Record<string, unknown> = {
    Boolean: true,
    Int: 7,
    SafeInt: 7,
    Float: 7,
    DateTime: '2026-11-23T08:00:00Z',
  };
  return scalars[type.name] ?? (type.name.startsWith('Json') ? {} : 'sample');
}

const MUTATIONS = Object.values(SCHEMA.getMutationType()?.getFields() ?? {});

describe('changes in words', () => {
  it.each(MUTATIONS.map(({ name, args }) => [name, args[0]?.type] as const))(
    'contain no identifier for %s',
    (name, type) => {
      expect(type).toBeDefined();
      for (let pick = 0; pick < 8; pick++) {
        const input = type && sample(type, pick);
        const rows = [...describeInput(input), ...differencesOf(input, null)];
        const text = [describeCommand(name), targetOf(input), ...rows.flatMap((row) => Object.values(row))];
        expect(text.filter((one) => IDENTIFIER.test(String(one)))).toEqual([]);
      }
    },
  );

  it('name commands, effects and amounts', () => {
    expect(
      ['tierPublish', 'apiDefaultLimitsSet', 'tenantTierChange', 'apiKeyCreate'].map(describeCommand),
    ).toEqual(['Publish tier', 'Set API default limits', 'Change tenant tier', 'Create API key']);
    const before = { carryOver: 'KEEP', effect: { kind: 'add', units: 5 }, tags: ['a'], note: null };
    const after = { carryOver: 'RESET', effect: { kind: 'SET', limit: 1000 }, tags: [], note: 'GO' };
    expect(differencesOf(before, after)).toEqual([
      { label: 'Existing usage', before: 'keep', after: 'reset' },
      { label: 'Effect', before: 'add 5', after: 'set to 1,000' },
      { label: 'Tags', before: 'a', after: 'none' },
      { label: 'Note', before: undefined, after: 'GO' },
    ]);
    expect(differencesOf(null, { priceMinor: 4900, currency: 'EUR' })[0]).toMatchObject({ after: '€49.00' });
  });

  it('show limits as changes of limits', () => {
    const limit = {
      name: 'per-minute',
      api: 'shop',
      operations: [],
      per: [],
      algorithm: 'fixed_window',
      limit: 10,
    };
    const policy = { ...limit, windowMs: 60_000, alignment: 'clock', onUnavailable: 'share' };
    const [before, after] = [{ limits: [policy] }, { limits: [{ ...policy, limit: 5 }] }];
    expect(limitChangesOf(before, after)).toMatchObject([
      {
        name: 'per-minute',
        effect: 'decreased',
        fields: [{ label: 'Limit', before: '10/min', after: '5/min' }],
      },
    ]);
    expect(differencesOf(before, after)).toEqual([]);
    expect(limitChangesOf({ name: 'a' }, null)).toBeUndefined();
  });
});
