/**
 * Brings one demo tenant near its limit, so that the console has something to show. Asks only for what is missing: a
 * second start with the counters still there adds nothing.
 *
 * @param {import('./decision-client.mjs').DecisionClient} decisions
 * @param {{ tenant: string, api: string, operation: string, subject: object, count: number }} target
 */
export async function bringNearLimit(decisions, { count, ...request }) {
  const { used } = await decisions.peek(request);
  for (let made = used; made < count; made++) await decisions.limit(request);
}

/** The limit that a demo request meets first. @returns {Promise<{ name: string, limit: number, window: number }>} */
export async function findDemoLimit(decisions, { tenant, api, operation, subject }) {
  const answer = await decisions.peek({ tenant, api, operation, subject });
  return answer.policies.find((policy) => policy.name === answer.policy);
}
