import type { Refusal } from './guard-options.js';

/** What an error of GraphQL says about a refusal. Apollo Server takes `http` out of it, and sets those headers. */
export function extensionsOf({ body, decision, headers }: Refusal) {
  return {
    code: decision === null ? 'UNAUTHENTICATED' : 'RATE_LIMITED',
    problem: body,
    http: { headers: new Map(Object.entries(headers)) },
  };
}
