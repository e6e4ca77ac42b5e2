/**
 * Rows that a statement returned, in the order of `list`.
 * @throws Error if a row is missing, such as one that row-level security hides
 */
export function inOrderOf<R extends { id: string }>(
  list: readonly { id: string }[],
  rows: readonly R[],
): R[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  return list.map(({ id }) => {
    const row = byId.get(id);
    if (row === undefined) throw new Error(`Row ${id} was not written`);
    return row;
  });
}
