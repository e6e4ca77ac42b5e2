import type {
  ArgumentNode,
  DirectiveNode,
  DocumentNode,
  FieldNode,
  FragmentDefinitionNode,
  GraphQLField,
  GraphQLNamedType,
  GraphQLSchema,
  OperationDefinitionNode,
  SelectionSetNode,
  ValueNode,
} from 'graphql';
import { Kind } from '../graphql-js.js';

/** One operation of a document that passed validation, with its variables. */
export interface AskedOperation {
  schema: GraphQLSchema;
  document: DocumentNode;
  operation: OperationDefinitionNode;
  variables: Readonly<Record<string, unknown>>;
}

/** A field as it is run: once per response key, however often it is written. */
export interface SelectedField {
  key: string;
  field: GraphQLField<unknown, unknown>;
  arguments: readonly ArgumentNode[];
  selectionSets: SelectionSetNode[];
}

/** Reads what an operation selects. Fields of all types that an abstract type may turn out to be are listed. */
export class Selections {
  private readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;

  constructor(readonly asked: AskedOperation) {
    this.fragments = new Map(
      asked.document.definitions.flatMap((node) =>
        node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node] as const] : [],
      ),
    );
  }

  /** The fields of `selectionSets` on `type`, merged as the executor merges them. */
  list(type: GraphQLNamedType, selectionSets: readonly SelectionSetNode[]): SelectedField[] {
    const found = new Map<string, SelectedField>();
    for (const selectionSet of selectionSets) this.collect(type, selectionSet, found);
    return [...found.values()];
  }

  /** The value of a whole-number argument; undefined when neither document nor variables give one. */
  integer(value: ValueNode | undefined): number | undefined {
    if (value?.kind === Kind.INT) return Number(value.value);
    if (value?.kind !== Kind.VARIABLE) return undefined;
    const name = value.name.value;
    const given = this.asked.variables[name];
    if (typeof given === 'number') return given;
    const definition = this.asked.operation.variableDefinitions?.find(
      (one) => one.variable.name.value === name,
    );
    return given === undefined && definition?.defaultValue?.kind === Kind.INT
      ? Number(definition.defaultValue.value)
      : undefined;
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
      return this.boolean(given?.[0]?.value) === (name.value === 'skip');
    });
  }

  private boolean(value: ValueNode | undefined): boolean | undefined {
    if (value?.kind === Kind.BOOLEAN) return value.value;
    if (value?.kind !== Kind.VARIABLE) return undefined;
    const name = value.name.value;
    const given = this.asked.variables[name];
    if (typeof given === 'boolean') return given;
    const definition = this.asked.operation.variableDefinitions?.find(
      (one) => one.variable.name.value === name,
    );
    return definition?.defaultValue?.kind === Kind.BOOLEAN ? definition.defaultValue.value : undefined;
  }
}

function add(found: Map<string, SelectedField>, type: GraphQLNamedType, node: FieldNode): void {
  const field = 'getFields' in type ? type.getFields()[node.name.value] : undefined;
  // `__typename` and introspection cost nothing, and are no fields of the type.
  if (field === undefined || !('args' in field)) return;
  const key = node.alias?.value ?? node.name.value;
  const known = found.get(key) ?? { key, field, arguments: node.arguments ?? [], selectionSets: [] };
  found.set(key, known);
  if (node.selectionSet !== undefined) known.selectionSets.push(node.selectionSet);
}
