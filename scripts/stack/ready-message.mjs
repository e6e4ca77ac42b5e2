import { HOME } from '../run/root.mjs';

/** @param {object} dev content of dev.json */
export function readyMessage(dev, demoLimit, elapsed) {
  return `
Ready in ${elapsed}.

  Console    ${dev.consoleUrl}
  Sign in    ${dev.signInUrl}
             ${dev.admin.email} / ${dev.admin.password}
  GraphQL    ${dev.graphqlUrl}
  Decisions  ${dev.decisionUrl}, over gRPC (Envoy) ${dev.rlsAddress}
  Data       ${HOME}

For the SDK, the CLI and tollgate counters inspect:

  export ${exportsOf(dev)}
${demoLimit === undefined ? '' : demoCalls(dev, demoLimit)}
Ctrl-C stops everything.
`;
}

/** What programs read from the environment. */
function exportsOf({ decisionUrl, serviceToken, graphqlUrl, adminToken, redisUrl }) {
  const variables = {
    TOLLGATE_URL: decisionUrl,
    TOLLGATE_TOKEN: serviceToken,
    TOLLGATE_GRAPHQL_URL: graphqlUrl,
    TOLLGATE_ADMIN_TOKEN: adminToken,
    REDIS_COUNTERS_URL: redisUrl,
  };
  return Object.entries(variables)
    .map(([name, value]) => `${name}='${value.replaceAll("'", "'\\''")}'`)
    .join(' ');
}

function demoCalls(dev, { name, limit, window }) {
  const { tenant, api, operation, subject } = dev.demo;
  const who = Object.keys(subject).length === 0 ? {} : { subject };
  const body = JSON.stringify({ tenant, api, operation, ...who });
  const url = `'${dev.decisionUrl}/v1/limit?status=http'`;
  const headers = `-H 'Authorization: Bearer ${dev.serviceToken}' -H 'Content-Type: application/json'`;
  const call = `${url} ${headers} -d '${body}'`;
  // A window may end during the loop: two full ones and one call more cannot all be allowed.
  const times = 2 * limit + 1;
  return `
One decision for ${tenant}, ${api} ${operation}, which may be called ${limit} times in ${window} s (limit ${name}):

  curl -i ${call}

Until it is denied with 429:

  for i in $(seq ${times}); do c=$(curl -s -o /dev/null -w '%{http_code}' ${call}); echo "$i $c"; [ "$c" = 429 ] && break; done
`;
}
