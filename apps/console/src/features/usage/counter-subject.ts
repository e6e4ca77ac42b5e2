/** What a counter counts apart from the tenant. */
export type CounterSubject =
  | { kind: 'tenant' }
  | { kind: 'overflow' }
  /** Values of the limit's dimensions, in their order: undefined where only a hash is kept, null where none was sent. */
  | { kind: 'values'; values: readonly (string | undefined | null)[] };

/** Reads a counter's name, `{acme}:l1:auth:login-ip~203.0.113.9`: whom it counts. */
export function counterSubject(counter: string): CounterSubject {
  const [, marks = ''] = /^\{[^}]*\}[^=~#^?]*(.*)$/.exec(counter) ?? [];
  if (marks === '') return { kind: 'tenant' };
  if (marks === '^') return { kind: 'overflow' };
  const values = (marks.match(/[?]|[=~#][^=~#^?]*/g) ?? []).map((text) => {
    if (text === '?') return null;
    return text.startsWith('#') ? undefined : text.slice(1);
  });
  return { kind: 'values', values };
}
