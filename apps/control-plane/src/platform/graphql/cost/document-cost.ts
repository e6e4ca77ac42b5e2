import type {
  ArgumentNode,
  DirectiveNode,
  DocumentNode,
  FieldNode,
  FragmentDefinitionNode,
  GraphQLField,
  GraphQLNamedType,
  GraphQLOutputType,
  GraphQLSchema,
  OperationDefinitionNode,
  OperationTypeNode,
  SelectionSetNode,
} from 'graphql';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../connection.js';
import {
  GraphQLBoolean,
  GraphQLInt,
  getNamedType,
  getVariableValues,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  valueFromAST,
} from '../graphql-js.js';

/** Mutations lock and publish to every node; subscriptions keep a stream open. */
const ROOT_PRICE: Record<OperationTypeNode, number> = { query: 1, mutation: 10, subscription: 10 };

/** Assumed length of a list without pages. */
const USUAL_LIST_LENGTH = 10;

const OBJECT_PRICE = 1;

/** Cost of one value without its selection, or `complexity`. */
export function priceOf(field: GraphQLField<unknown, unknown>): number {
  return declaredPrice(field) ?? (isLeafType(getNamedType(field.type)) ? 0 : OBJECT_PRICE);
}

export function rootPriceOf(operation: OperationTypeNode, field: GraphQLField<unknown, unknown>): number {
  return declaredPrice(field) ?? ROOT_PRICE[operation];
}

function declaredPrice({ extensions }: GraphQLField<unknown, unknown>): number | undefined {
  return typeof extensions.complexity === 'number' ? extensions.complexity : undefined;
}

/** `usualLength` of the field, else 10. */
export function usualLength(field: GraphQLField<unknown, unknown>): number {
  const { usualLength: declared } = field.extensions;
  return typeof declared === 'number' ? declared : USUAL_LIST_LENGTH;
}

export function isList(type: GraphQLOutputType): boolean {
  return isListType(isNonNullType(type) ? type.ofType : type);
}

export function isConnection(type: GraphQLOutputType): boolean {
  const named = getNamedType(type);
  return isObjectType(named) && named.name.endsWith('Connection') && 'pageInfo' in named.getFields();
}

export interface ValidatedOperation {
  schema: GraphQLSchema;
  document: DocumentNode;
  operation: OperationDefinitionNode;
  variables: Readonly<Record<string, unknown>>;
}

/** One field per response key, with merged selections. */
export interface SelectedField {
  key: string;
  field: GraphQLField<unknown, unknown>;
  arguments: readonly ArgumentNode[];
  selectionSets: SelectionSetNode[];
}

/** Collects selected fields. For abstract types, those of all possible types are included. */
export class Selections {
  /** With defaults. */
  readonly variables: Readonly<Record<string, unknown>>;
  private readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;

  constructor(readonly asked: ValidatedOperation) {
    const { schema, operation, variables } = asked;
    const { coerced } = getVariableValues(schema, operation.variableDefinitions ?? [], variables);
    // Execution rejects invalid variables.
    this.variables = coerced ?? {};
    this.fragments = new Map(
      asked.document.definitions.flatMap((node) =>
        node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node] as const] : [],
      ),
    );
  }

  /** Merged as the executor does. */
  list(type: GraphQLNamedType, selectionSets: readonly SelectionSetNode[]): SelectedField[] {
    const found = new Map<string, SelectedField>();
    for (const selectionSet of selectionSets) this.collect(type, selectionSet, found);
    return [...found.values()];
  }

  private collect(
    type: GraphQLNamedType,
    { selections }: SelectionSetNode,
    found: Map<string, SelectedField>,
  ): void {
    for (const selection of selections) {
      if (this.isLeftOut(selection.directives)) continue;
      if (selection.kind === Kind.FIELD) {
        add(found, type, selection);
        continue;
      }
      const fragment =
        selection.kind === Kind.FRAGMENT_SPREAD ? this.fragments.get(selection.name.value) : selection;
      if (fragment === undefined) continue;
      const condition = fragment.typeCondition?.name.value;
      const narrowed = condition === undefined ? type : this.asked.schema.getType(condition);
      if (narrowed !== undefined) this.collect(narrowed, fragment.selectionSet, found);
    }
  }

  private isLeftOut(directives: readonly DirectiveNode[] = []): boolean {
    return directives.some(({ name, arguments: given }) => {
      if (name.value !== 'skip' && name.value !== 'include') return false;
      const condition = given?.[0] && valueFromAST(given[0].value, GraphQLBoolean, this.variables);
      return condition === (name.value === 'skip');
    });
  }
}

function add(found: Map<string, SelectedField>, type: GraphQLNamedType, node: FieldNode): void {
  const field = 'getFields' in type ? type.getFields()[node.name.value] : undefined;
  // `__typename` and introspection cost nothing.
  if (field === undefined || !('args' in field)) return;
  const key = node.alias?.value ?? node.name.value;
  const known = found.get(key) ?? { key, field, arguments: node.arguments ?? [], selectionSets: [] };
  found.set(key, known);
  if (node.selectionSet !== undefined) known.selectionSets.push(node.selectionSet);
}

/** A selected field whose values may cost something. */
interface PricedField {
  key: string;
  isList: boolean;
  /** Of one value without its selection. */
  price: number;
  /** With full pages and lists of the assumed length. */
  requested: number;
  /** Without fields that cost nothing. */
  children: PricedField[];
}

export class DocumentCost {
  private readonly roots: PricedField[];

  constructor(asked: ValidatedOperation) {
    const { schema, operation } = asked;
    const root = schema.getRootType(operation.operation);
    if (root == null) throw new Error(`no root type for ${operation.operation}`);
    const selections = new Selections(asked);
    this.roots = selections
      .list(root, [operation.selectionSet])
      .map((selected) =>
        toPriced(selections, selected, rootPriceOf(operation.operation, selected.field), undefined),
      );
  }

  /** Cost with full pages and lists of the assumed length. */
  requested(): number {
    return this.roots.reduce((sum, { requested }) => sum + requested, 0);
  }

  /** Cost of a result. Null values cost nothing, except root fields, which were executed. */
  actual(data: unknown): number {
    const answers = (data ?? {}) as Record<string, unknown>;
    return this.roots.reduce((sum, root) => {
      const value = answers[root.key];
      return sum + (value == null ? root.price : actualOf(root, value));
    }, 0);
  }
}

function toPriced(
  selections: Selections,
  selected: SelectedField,
  price: number,
  pageSize: number | undefined,
): PricedField {
  const { key, field, selectionSets } = selected;
  const type = getNamedType(field.type);
  const inside = isConnection(type) ? pageSizeOf(selected, selections.variables) : undefined;
  const children = selections
    .list(type, selectionSets)
    .map((child) => toPriced(selections, child, priceOf(child.field), inside));
  const one = children.reduce((sum, { requested }) => sum + requested, price);
  const list = isList(field.type);
  return {
    key,
    isList: list,
    price,
    requested: list ? one * (pageSize ?? usualLength(field)) : one,
    children: children.filter((child) => child.price > 0 || child.children.length > 0),
  };
}

function actualOf({ isList, price, children }: PricedField, value: unknown): number {
  if (value == null) return 0;
  let sum = 0;
  for (const one of isList ? flatten(value) : [value]) {
    if (one == null) continue;
    const answers = one as Record<string, unknown>;
    sum += price;
    for (const child of children) sum += actualOf(child, answers[child.key]);
  }
  return sum;
}

/** `first` within the valid page sizes; the list itself rejects others. */
function pageSizeOf({ arguments: given }: SelectedField, variables: Selections['variables']): number {
  const argument = given.find(({ name }) => name.value === 'first');
  const value = argument && valueFromAST(argument.value, GraphQLInt, variables);
  const first = typeof value === 'number' ? value : DEFAULT_PAGE_SIZE;
  return Math.min(Math.max(first, 0), MAX_PAGE_SIZE);
}

function flatten(value: unknown): unknown[] {
  return Array.isArray(value) ? value.flat(Number.POSITIVE_INFINITY) : [value];
}
