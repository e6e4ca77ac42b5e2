import { describe, it } from 'vitest';
import type { Rule } from './outcomes.js';
import { useTestServer } from './test-server.js';

/** A test for each rule, each over a connection of its own. */
export function testRules(title: string, rules: readonly Rule[]): void {
  describe(title, () => {
    const h2 = useTestServer();

    it.each(rules)('%s', async (_, send, outcome) => {
      const connection = await h2.connect();
      await send(connection);
      await outcome(connection);
      connection.close();
    });
  });
}
