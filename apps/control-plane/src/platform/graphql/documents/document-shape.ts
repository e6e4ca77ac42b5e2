import type {
  DocumentNode,
  FragmentDefinitionNode,
  OperationDefinitionNode,
  SelectionSetNode,
  ValueNode,
} from 'graphql';
import { Kind } from '../graphql-js.js';

/** What of a document is bounded, with fragments put in. */
export interface DocumentShape {
  depth: number;
  introspectionDepth: number;
  fields: number;
  aliases: number;
  directives: number;
  inputDepth: number;
  introspects: boolean;
}

/** A fragment that leads back to itself, so that the document has no end. */
export class CircularFragmentError extends Error {
  constructor(name: string) {
    super(`Fragment "${name.slice(0, 40)}" contains itself.`);
  }
}

const EMPTY: DocumentShape = {
  depth: 0,
  introspectionDepth: 0,
  fields: 0,
  aliases: 0,
  directives: 0,
  inputDepth: 0,
  introspects: false,
};

/**
 * Measures an operation without a schema, in time that grows with the text alone: each fragment is measured once,
 * however often it is spread.
 * @throws CircularFragmentError
 */
export function measureOperation(document: DocumentNode, operation: OperationDefinitionNode): DocumentShape {
  const fragments = new Map(
    document.definitions.flatMap((node) =>
      node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node] as const] : [],
    ),
  );
  const inside = new ShapeWalk(fragments).measure(operation.selectionSet);
  const directives = inside.directives + (operation.directives?.length ?? 0);
  return { ...inside, directives };
}

class ShapeWalk {
  private readonly known = new Map<string, DocumentShape>();
  private readonly open = new Set<string>();

  constructor(private readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>) {}

  measure({ selections }: SelectionSetNode): DocumentShape {
    const sum = { ...EMPTY };
    for (const selection of selections) {
      sum.directives += selection.directives?.length ?? 0;
      if (selection.kind === Kind.INLINE_FRAGMENT) {
        // A level too: nothing else bounds how deep they stand inside each other.
        const inside = this.measure(selection.selectionSet);
        add(sum, { ...inside, depth: inside.depth + 1 });
      } else if (selection.kind === Kind.FRAGMENT_SPREAD) {
        add(sum, this.measureFragment(selection.name.value));
      } else {
        sum.fields += 1;
        if (selection.alias !== undefined) sum.aliases += 1;
        for (const argument of selection.arguments ?? [])
          sum.inputDepth = Math.max(sum.inputDepth, literalDepth(argument.value));
        const inside = selection.selectionSet === undefined ? EMPTY : this.measure(selection.selectionSet);
        const isMeta = ['__schema', '__type'].includes(selection.name.value);
        add(sum, {
          ...inside,
          introspects: inside.introspects || isMeta,
          depth: isMeta ? 0 : inside.depth + 1,
          introspectionDepth: isMeta ? inside.depth + 1 : inside.introspectionDepth,
        });
      }
    }
    return sum;
  }

  private measureFragment(name: string): DocumentShape {
    const known = this.known.get(name);
    if (known !== undefined) return known;
    const fragment = this.fragments.get(name);
    // Validation says so in better words.
    if (fragment === undefined) return EMPTY;
    if (this.open.has(name)) throw new CircularFragmentError(name);
    this.open.add(name);
    const shape = this.measure(fragment.selectionSet);
    this.open.delete(name);
    this.known.set(name, shape);
    return shape;
  }
}

function add(sum: DocumentShape, more: DocumentShape): void {
  sum.depth = Math.max(sum.depth, more.depth);
  sum.introspectionDepth = Math.max(sum.introspectionDepth, more.introspectionDepth);
  sum.inputDepth = Math.max(sum.inputDepth, more.inputDepth);
  sum.fields += more.fields;
  sum.aliases += more.aliases;
  sum.directives += more.directives;
  sum.introspects ||= more.introspects;
}

function literalDepth(value: ValueNode): number {
  if (value.kind === Kind.LIST) return 1 + Math.max(0, ...value.values.map(literalDepth));
  if (value.kind === Kind.OBJECT)
    return 1 + Math.max(0, ...value.fields.map((field) => literalDepth(field.value)));
  return 0;
}
