import fc from 'fast-check';

/** Unexpected values, as sent by a wrong or hostile program. */
const ODD: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    undefined,
    true,
    '',
    '0',
    '1',
    'NaN',
    '{}',
    '{acme}',
    '\u0000',
    '\ud800',
    'x'.repeat(2000),
    [],
    {},
    [[]],
    Number.NaN,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
    -1,
    -0,
    0,
    0.5,
    1e-9,
    2 ** 31,
    2 ** 32,
    2 ** 53 - 1,
    2 ** 53,
    1e21,
    1e308,
  ),
  fc.integer(),
  fc.maxSafeInteger(),
  fc.double(),
  fc.string(),
  fc.jsonValue({ maxDepth: 2 }),
);

const NAMES = ['__proto__', 'constructor', 'toString', 'limit', 'windowMs', 'burst', 'cost', 'x'];

/** `value` with one to three fields changed, dropped, added or swapped, at any depth. */
export function mutated(value: object): fc.Arbitrary<unknown> {
  return fc
    .array(fc.tuple(fc.nat(), fc.nat(4), ODD, fc.constantFrom(...NAMES)), { minLength: 1, maxLength: 3 })
    .map((changes) =>
      changes.reduce<unknown>(
        // A copy: fast-check returns the same `{}` repeatedly, and a change may be made within it.
        (changed, [place, what, odd, name]) => change(changed, place, what, structuredClone(odd), name),
        structuredClone(value),
      ),
    );
}

function change(root: unknown, place: number, what: number, odd: unknown, name: string): unknown {
  const places = placesIn(root);
  if (places.length === 0) return odd;
  const { holder, key } = places[place % places.length] as Place;
  if (what === 0) return odd;
  if (what === 1) Reflect.deleteProperty(holder, key);
  // Defined, not assigned: `__proto__` becomes a field, as in JSON.parse.
  else if (what === 2)
    Object.defineProperty(holder, name, { value: odd, enumerable: true, configurable: true, writable: true });
  else
    Object.defineProperty(holder, key, { value: odd, enumerable: true, configurable: true, writable: true });
  return root;
}

interface Place {
  readonly holder: object;
  readonly key: string;
}

function placesIn(value: unknown): Place[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [{ holder: value, key }, ...placesIn(inner)]);
}
