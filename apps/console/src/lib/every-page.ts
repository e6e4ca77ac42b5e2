/** Entries that one request asks for: a page of tiers with their limits stays well below what one document may cost. */
const PAGE_SIZE = 20;

interface Page<Node> {
  totalCount: number;
  nodes: Node[];
  pageInfo: { hasNextPage: boolean; endCursor?: string | null };
}

/**
 * Reads a list to its end, page after page; for lists that people write by hand, so that a whole one fits on a screen.
 * @param read asks for one page
 */
export async function everyPage<Node>(
  read: (page: { first: number; after: string | null }) => Promise<Page<Node>>,
): Promise<Node[]> {
  const nodes: Node[] = [];
  let after: string | null = null;
  for (;;) {
    const page: Page<Node> = await read({ first: PAGE_SIZE, after });
    nodes.push(...page.nodes);
    after = page.pageInfo.endCursor ?? null;
    if (!page.pageInfo.hasNextPage || after === null) return nodes;
  }
}
