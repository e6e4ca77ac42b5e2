import 'reflect-metadata';
import { readFileSync } from 'node:fs';
import {
  buildSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isSpecifiedScalarType,
} from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildSchemaText } from './schema-text.js';

let text: string;

beforeAll(async () => {
  text = await buildSchemaText();
});

describe('the GraphQL schema', () => {
  it('is the one in schema.graphql', () => {
    expect(text).toBe(readFileSync(new URL('../schema.graphql', import.meta.url), 'utf8'));
  });

  it('describes every type, field, argument and enum value', () => {
    const schema = buildSchema(text);
    const types = Object.values(schema.getTypeMap()).filter(
      (type) =>
        !type.name.startsWith('__') &&
        !isSpecifiedScalarType(type) &&
        !['Query', 'Mutation', 'Subscription'].includes(type.name),
    );
    const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].flatMap(
      (type) => type ?? [],
    );
    const missing = [...types, ...roots].flatMap((type) => {
      const fields =
        isObjectType(type) || isInterfaceType(type) || isInputObjectType(type)
          ? Object.values(type.getFields())
          : [];
      const parts = [
        ...fields.flatMap((field) => [field, ...('args' in field ? field.args : [])]),
        ...(isEnumType(type) ? type.getValues() : []),
      ];
      const open = parts.filter((part) => !part.description).map((part) => `${type.name}.${part.name}`);
      return type.description || roots.includes(type as never) ? open : [type.name, ...open];
    });
    expect(missing).toEqual([]);
  });
});
