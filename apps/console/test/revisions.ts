import type { RunningStack } from './screens/screen.ts';

/** Changes the cost of the demo's operation and back: two revisions more, to be compared and to go back to. */
export async function changeAndBack({ graphqlUrl, adminToken, demo }: RunningStack): Promise<void> {
  const ask = async (query: string) => {
    const response = await fetch(graphqlUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${adminToken}` },
      body: JSON.stringify({ query }),
    });
    return (await response.json()) as { data: { api: { version: number } } };
  };
  for (const cost of [2, 1]) {
    const { version } = (await ask(`{ api(key: "${demo.api}") { version } }`)).data.api;
    await ask(`mutation {
      operationUpdate(
        input: { apiKey: "${demo.api}", name: "${demo.operation}", cost: ${cost}, expectedVersion: ${version} }
      ) {
        userErrors { message }
      }
    }`);
  }
}
