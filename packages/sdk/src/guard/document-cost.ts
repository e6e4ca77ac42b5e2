export interface CostRules {
  /** By field name. */
  fields?: Record<string, number>;
  /** Other fields; default 1. */
  field?: number;
  /** Arguments that multiply the cost of a selection by their value; default `first`, `last`, `limit`. */
  listArguments?: readonly string[];
  /** Default 1,000,000. */
  max?: number;
}

export interface GraphQLDocument {
  readonly definitions: readonly object[];
}

interface Selection {
  kind: string;
  name?: { value: string };
  arguments?: readonly { name: { value: string }; value: Value }[];
  selectionSet?: { selections: readonly Selection[] };
}

interface Value {
  kind: string;
  value?: unknown;
  name?: { value: string };
}

interface Definition extends Selection {
  operation?: string;
  variableDefinitions?: readonly { variable: { name: { value: string } }; defaultValue?: Value }[];
}

/**
 * Cost of one operation, 1 or more: the sum of its fields, with a list's selection multiplied by its requested length.
 * Introspection is free. Each fragment is priced once, so that no document is expensive to price.
 * @param operationName null: the only operation
 */
export function documentCost(
  document: GraphQLDocument,
  operationName: string | null,
  variables: Readonly<Record<string, unknown>>,
  rules: CostRules = {},
): number {
  const definitions = document.definitions as readonly Definition[];
  const operation = definitions.find(
    ({ kind, name }) =>
      kind === 'OperationDefinition' && (operationName === null || name?.value === operationName),
  );
  const pricing = new Pricing(definitions, { ...defaultsOf(operation), ...defined(variables) }, rules);
  const cost = pricing.below(operation ?? { kind: 'none' });
  return Math.max(1, Math.min(rules.max ?? 1_000_000, Math.ceil(cost)));
}

function defaultsOf(operation: Definition | undefined): Record<string, unknown> {
  const definitions = operation?.variableDefinitions ?? [];
  return Object.fromEntries(
    definitions.map(({ variable, defaultValue }) => [variable.name.value, defaultValue?.value]),
  );
}

/** GraphQL applies the default of a variable that is undefined, but not of one that is null. */
function defined(variables: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== undefined));
}

class Pricing {
  private readonly fragments = new Map<string, Definition>();
  private readonly priced = new Map<string, number>();
  private readonly listArguments: readonly string[];

  constructor(
    definitions: readonly Definition[],
    private readonly variables: Readonly<Record<string, unknown>>,
    private readonly rules: CostRules,
  ) {
    this.listArguments = rules.listArguments ?? ['first', 'last', 'limit'];
    for (const definition of definitions) {
      if (definition.kind === 'FragmentDefinition' && definition.name) {
        this.fragments.set(definition.name.value, definition);
      }
    }
  }

  below(node: Selection): number {
    let sum = 0;
    for (const selection of node.selectionSet?.selections ?? []) sum += this.priceOf(selection);
    return sum;
  }

  private priceOf(selection: Selection): number {
    const name = selection.name?.value ?? '';
    if (selection.kind === 'FragmentSpread') return this.fragment(name);
    if (selection.kind === 'InlineFragment') return this.below(selection);
    if (name.startsWith('__')) return 0;
    const own = this.rules.fields?.[name] ?? this.rules.field ?? 1;
    return own + this.length(selection) * this.below(selection);
  }

  private fragment(name: string): number {
    const known = this.priced.get(name);
    if (known !== undefined) return known;
    this.priced.set(name, 0); // validation rejects recursive fragments; here they only have to terminate
    const price = this.below(this.fragments.get(name) ?? { kind: 'none' });
    this.priced.set(name, price);
    return price;
  }

  /** The longest of several: `list(first: 1, last: 1000)`. */
  private length(selection: Selection): number {
    let longest = 1;
    for (const { name, value } of selection.arguments ?? []) {
      if (!this.listArguments.includes(name.value)) continue;
      const given = value.kind === 'Variable' ? this.variables[value.name?.value ?? ''] : value.value;
      const length = Number(given);
      if (Number.isFinite(length)) longest = Math.max(longest, length);
    }
    return longest;
  }
}
