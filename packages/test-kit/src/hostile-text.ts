import fc from 'fast-check';

/**
 * Text that a client may send where a program expects a name, an identifier, a number or an address. A function, because
 * the arbitrary of all code points takes a second and 100 MB.
 */
const hostileText = (): fc.Arbitrary<string> =>
  fc.oneof(
    fc.string({ unit: 'binary', maxLength: 20 }),
    fc.string({ maxLength: 20 }),
    fc.string({ minLength: 900, maxLength: 3000 }),
    fc.constantFrom(
      ...[
        '',
        ' ',
        '_x',
        '{acme}',
        '../..',
        '*',
        '?',
        '%00',
        '\0',
        'a\r\nb',
        '\ud800',
        'x'.repeat(65),
        'x'.repeat(1025),
      ],
      ...['0', '-1', '0.5', '1e400', 'NaN', 'null', 'undefined', '9007199254740993', '1000000001'],
      ...['__proto__', 'constructor', 'toString', 'nobody', 'acme ', 'Acme', 'tgk_live_x'],
      ...[
        '198.51.100.1:4711',
        '[2001:db8::1]:443',
        'fe80::1%eth0',
        '10.0.0.0/8',
        'unix:',
        'unknown',
        '1.2.3.4, 5.6.7.8',
      ],
    ),
  );

/**
 * Asks with 40 texts that a client may send; ends at the first that passes, without shrinking, because each text is a request.
 * @param passes whether a request with the text passes
 * @param isTried false: the text is left out
 * @throws Error with the text
 */
export async function assertNoTextPasses(
  passes: (text: string) => Promise<boolean>,
  isTried: (text: string) => boolean = () => true,
): Promise<void> {
  const property = fc.asyncProperty(hostileText().filter(isTried), async (text) => !(await passes(text)));
  await fc.assert(property, { numRuns: 40, endOnFailure: true });
}
