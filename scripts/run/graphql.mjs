/**
 * Sends a document as automation does, by default with the admin token; returns its data.
 * @throws Error with the errors of the document, or the `userErrors` of its mutations
 */
export async function graphql({ graphqlUrl, adminToken }, query, variables = {}, headers = undefined) {
  const response = await fetch(graphqlUrl, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(headers ?? { authorization: `Bearer ${adminToken}` }),
    },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors = [] } = await response.json();
  const userErrors = Object.values(data ?? {}).flatMap((payload) => payload?.userErrors ?? []);
  if (errors.length + userErrors.length > 0) throw new Error(JSON.stringify([...errors, ...userErrors]));
  return data;
}
