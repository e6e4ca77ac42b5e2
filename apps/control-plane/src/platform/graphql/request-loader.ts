import DataLoader from 'dataloader';
import type { GraphqlContext } from './context.js';

/** The loader `name` of this request, created on first use. Keys that `read` does not return load as `absent`. */
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
