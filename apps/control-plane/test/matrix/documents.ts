import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql/index.js';

export interface Operation {
  /** `Mutation.tenantUpdate`. */
  name: string;
  kind: 'query' | 'mutation' | 'subscription';
  field: GraphQLField<unknown, unknown>;
}

/** Every root field of the schema. */
export function operationsOf(schema: GraphQLSchema): Operation[] {
  const roots = [
    ['query', schema.getQueryType()],
    ['mutation', schema.getMutationType()],
    ['subscription', schema.getSubscriptionType()],
  ] as const;
  return roots.flatMap(([kind, type]) =>
    Object.values(type?.getFields() ?? {}).map((field) => ({
      name: `${type?.name}.${field.name}`,
      kind,
      field,
    })),
  );
}

/** Values by the name of the argument or field that takes them; anything else gets the least that its type allows. */
export type Values = Readonly<Record<string, unknown>>;

/** A document that selects the operation and its result down to `depth`. */
export function documentFor({ kind, field }: Operation, values: Values, depth: number) {
  const variables = Object.fromEntries(
    field.args.flatMap((arg) => {
      const value = valueFor(arg, values);
      return value === undefined ? [] : [[arg.name, value]];
    }),
  );
  const used = field.args.filter(({ name }) => name in variables);
  const declared = used.map((arg) => `$${arg.name}: ${arg.type}`).join(', ');
  const passed = used.map(({ name }) => `${name}: $${name}`).join(', ');
  const head = declared === '' ? kind : `${kind}(${declared})`;
  const call = passed === '' ? field.name : `${field.name}(${passed})`;
  return { query: `${head} { ${call} ${selectionOf(field.type, depth)} }`, variables };
}

function valueFor(place: GraphQLArgument | GraphQLInputField, values: Values): unknown {
  if (Object.hasOwn(values, place.name)) return values[place.name];
  if (!isNonNullType(place.type) || place.defaultValue !== undefined) return undefined;
  return leastOf(place.type.ofType, values);
}

function leastOf(type: GraphQLInputType, values: Values): unknown {
  if (isNonNullType(type)) return leastOf(type.ofType, values);
  if (isListType(type)) return [];
  if (isEnumType(type)) return type.getValues()[0]?.name;
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields());
    const given = fields.map((field) => [field.name, valueFor(field, values)] as const);
    return Object.fromEntries(given.filter(([, value]) => value !== undefined));
  }
  const leasts: Record<string, unknown> = {
    Boolean: false,
    DateTime: '2030-01-01T00:00:00Z',
    Float: 1,
    Int: 1,
    JSONObject: {},
    SafeInt: 1,
  };
  return leasts[type.name] ?? 'none';
}

function selectionOf(type: GraphQLOutputType, depth: number): string {
  const named = getNamedType(type);
  if (isInterfaceType(named)) return '{ id }';
  if (!isObjectType(named)) return '';
  const fields = Object.values(named.getFields()).flatMap((field) => {
    if (field.args.some((arg) => isNonNullType(arg.type))) return [];
    const inner = getNamedType(field.type);
    const isLeaf = !isObjectType(inner) && !isInterfaceType(inner);
    if (isLeaf) return [field.name];
    // Lists hold their entries twice: once is enough.
    if (depth <= 1 || field.name === 'edges') return [];
    const selection = selectionOf(field.type, depth - 1);
    return selection === '' ? [] : [`${field.name} ${selection}`];
  });
  return fields.length === 0 ? '{ __typename }' : `{ ${fields.join(' ')} }`;
}
