import { Alert, Code } from '@mantine/core';
import { IconLinkOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { LinkAnchor, LinkButton } from '../../components/links.js';
import { Failure, RowsSkeleton } from '../../components/page.js';
import { type DeniedRequest, deniedRequestQuery } from '../../features/explain/api.js';
import { DeniedFacts, PastAmount } from '../../features/explain/denied-request.js';
import { viewerQuery } from '../../lib/viewer.js';
import classes from './sign-in.module.css';
import { SignInFrame } from './sign-in.page.js';

/** The page that the link in a denied response opens. The link follows the `#`, so that no server logs it. */
export function DeniedRequestPage() {
  const hash = useLocation({ select: (location) => location.hash });
  const link = decoded(hash);
  const query = useQuery(deniedRequestQuery(link));
  if (query.data === undefined) {
    return (
      <SignInFrame title="Denied request">
        {query.error ? (
          <Failure error={query.error} onRetry={() => void query.refetch()} />
        ) : (
          <RowsSkeleton rows={4} />
        )}
      </SignInFrame>
    );
  }
  if (query.data === null) {
    return (
      <SignInFrame title="This explanation link is invalid" lead="It has expired or is incomplete.">
        <Alert color="ochre" icon={<IconLinkOff size={18} aria-hidden />}>
          Links are valid for a week. With the request ID, members can find the request in the portal.
        </Alert>
        <SignInHint />
      </SignInFrame>
    );
  }
  return (
    <SignInFrame title="Request denied">
      <DeniedFacts request={query.data} />
      {query.data.origin ? (
        <ForReaders request={query.data} origin={query.data.origin} />
      ) : (
        <SignInHint next={`/explain#${hash}`} />
      )}
      <p className={classes.hint}>
        <LinkAnchor to="/docs/denied-requests">What to do about denied requests</LinkAnchor>
      </p>
    </SignInFrame>
  );
}

function decoded(hash: string): string {
  try {
    return decodeURIComponent(hash);
  } catch {
    return hash;
  }
}

const SignInHint = ({ next }: { next?: string }) => (
  <p className={classes.hint}>
    Members of the organization see the calculation of the limit and the requests before.{' '}
    <LinkAnchor to="/sign-in" search={next === undefined ? {} : { next }}>
      Sign in
    </LinkAnchor>
  </p>
);

interface ForReadersProps {
  request: DeniedRequest;
  origin: NonNullable<DeniedRequest['origin']>;
}

/** For members of the tenant and operators. */
function ForReaders({ request: { requestId }, origin }: ForReadersProps) {
  const { data: viewer } = useQuery(viewerQuery);
  const { tenantKey } = origin;
  const search = { request: requestId };
  return (
    <>
      <PastAmount origin={origin} />
      {viewer?.role ? (
        <LinkButton to="/why" search={search} mt="md">
          Explain
        </LinkButton>
      ) : (
        <LinkButton to="/portal/$tenantKey/why" params={{ tenantKey }} search={search} mt="md">
          Explain
        </LinkButton>
      )}
    </>
  );
}

/** Public: linked from denied responses. */
export function DeniedRequestsPage() {
  return (
    <SignInFrame title="Denied requests" lead="What a 429, 503 or 403 means, and what to do.">
      <dl className={`tg-facts ${classes.answers}`}>
        <dt>
          <Code>429</Code> A limit is used up
        </dt>
        <dd>
          Wait for <Code>Retry-After</Code> seconds and repeat the request. <Code>RateLimit</Code> names what
          is left (<Code>r</Code>) and when the limit resets (<Code>t</Code>). Without{' '}
          <Code>Retry-After</Code>, the cost exceeds the limit: send less at once.
        </dd>
        <dt>
          <Code>503</Code> The API is out of capacity
        </dt>
        <dd>Not caused by your limits. Repeat the request later, with increasing waits.</dd>
        <dt>
          <Code>403</Code> The request is blocked
        </dt>
        <dd>Waiting does not help. Contact the operator of the API.</dd>
        <dt>
          <Code>explain</Code>
        </dt>
        <dd>
          This link in a denied response opens the explanation of that request. It is valid for a week and
          shows strangers only what the response contained.
        </dd>
      </dl>
    </SignInFrame>
  );
}
