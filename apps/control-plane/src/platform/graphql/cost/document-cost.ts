import type { GraphQLObjectType } from 'graphql';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../connection.js';
import { getNamedType } from '../graphql-js.js';
import { isConnection, isList, priceOf, rootPriceOf, usualLength } from './field-price.js';
import { type AskedOperation, type SelectedField, Selections } from './selected-fields.js';

/** The two prices of one operation: before it runs, by what it asks for; after, by what it was answered. */
export class DocumentCost {
  private readonly selections: Selections;
  private readonly root: GraphQLObjectType;

  /** @param asked an operation that passed validation against its schema */
  constructor(private readonly asked: AskedOperation) {
    this.selections = new Selections(asked);
    const root = asked.schema.getRootType(asked.operation.operation);
    if (root == null) throw new Error(`The schema has no ${asked.operation.operation}`);
    this.root = root;
  }

  /** Points for the largest answer that the operation may be given: full pages, lists of usual length. */
  requested(): number {
    return this.roots().reduce(
      (sum, root) => sum + this.requestedOf(root, this.rootPrice(root), undefined),
      0,
    );
  }

  /**
   * Points for `data`, the answer. What is null costs nothing; but a root field was run, whatever came of it.
   * @param data as it was answered; null when nothing was
   */
  actual(data: unknown): number {
    const answers = (data ?? {}) as Record<string, unknown>;
    return this.roots().reduce((sum, root) => {
      const price = this.rootPrice(root);
      return sum + (answers[root.key] == null ? price : this.actualOf(root, price, answers[root.key]));
    }, 0);
  }

  private roots(): SelectedField[] {
    return this.selections.list(this.root, [this.asked.operation.selectionSet]);
  }

  private rootPrice({ field }: SelectedField): number {
    return rootPriceOf(this.asked.operation.operation, field);
  }

  private requestedOf(selected: SelectedField, price: number, pageSize: number | undefined): number {
    const { field, selectionSets } = selected;
    const type = getNamedType(field.type);
    const inside = isConnection(type) ? this.pageSize(selected) : undefined;
    const children = this.selections.list(type, selectionSets);
    const one = children.reduce(
      (sum, child) => sum + this.requestedOf(child, priceOf(child.field), inside),
      price,
    );
    return isList(field.type) ? one * (pageSize ?? usualLength(field)) : one;
  }

  private actualOf({ field, selectionSets }: SelectedField, price: number, value: unknown): number {
    if (value == null) return 0;
    const children = this.selections.list(getNamedType(field.type), selectionSets);
    let sum = 0;
    for (const one of isList(field.type) ? flatten(value) : [value]) {
      if (one == null) continue;
      const answers = one as Record<string, unknown>;
      sum += price;
      for (const child of children) sum += this.actualOf(child, priceOf(child.field), answers[child.key]);
    }
    return sum;
  }

  /** What `first` says, within what a page may hold: anything else is refused by the list itself. */
  private pageSize(selected: SelectedField): number {
    const given = selected.arguments.find((argument) => argument.name.value === 'first');
    const first = this.selections.integer(given?.value) ?? DEFAULT_PAGE_SIZE;
    return Math.min(Math.max(first, 0), MAX_PAGE_SIZE);
  }
}

function flatten(value: unknown): unknown[] {
  return Array.isArray(value) ? value.flat(Number.POSITIVE_INFINITY) : [value];
}
