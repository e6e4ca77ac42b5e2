import { queryOptions, useQuery } from '@tanstack/react-query';
import { graphql } from '../generated/index.js';
import { graphqlRequest } from './graphql-request.js';
import { type Permission, rolesWith } from './permissions.js';

const ViewerDocument = graphql(`
  query Viewer {
    viewer { id name email role permissions }
  }
`);

/** Who is signed in; fails with UNAUTHENTICATED when nobody is. */
export const viewerQuery = queryOptions({
  queryKey: ['viewer'],
  queryFn: async ({ signal }) => (await graphqlRequest(ViewerDocument, {}, signal)).viewer,
  staleTime: 60_000,
});

export interface Allowance {
  allowed: boolean;
  /** For a disabled button: why, and who can. Undefined when allowed. */
  why: string | undefined;
}

/** Whether the viewer may do something. While the viewer is loading the answer is no, without a reason. */
export function usePermission(permission: Permission): Allowance {
  const { data: viewer } = useQuery(viewerQuery);
  if (!viewer) return { allowed: false, why: undefined };
  if (viewer.permissions.includes(permission)) return { allowed: true, why: undefined };
  return { allowed: false, why: `Your role may not do this. ${rolesWith(permission)} can.` };
}
