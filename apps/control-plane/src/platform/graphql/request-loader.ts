import DataLoader from 'dataloader';
import type { GraphqlContext } from './context.js';

/**
 * The loader of `name` in this request, made at its first use: what a list asks for row by row is read in one query.
 * `read` returns a map; keys that it leaves out load as `absent`.
 */
export function requestLoader<V>(
  context: GraphqlContext,
  name: symbol,
  absent: V,
  read: (keys: string[]) => Promise<Map<string, V>>,
): DataLoader<string, V> {
  const known = context.loaders.get(name);
  if (known !== undefined) return known as unknown as DataLoader<string, V>;
  const loader = new DataLoader<string, V>(async (keys) => {
    const found = await read([...keys]);
    return keys.map((key) => found.get(key) ?? absent);
  });
  context.loaders.set(name, loader as unknown as DataLoader<unknown, unknown>);
  return loader;
}
