import { Alert, Button, Group, Skeleton } from '@mantine/core';
import { IconMailOff } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { LinkButton } from '../../components/link.js';
import { invitationQuery } from '../../features/joining/api/joining.js';
import { AcceptForm } from '../../features/joining/components/accept-form.js';
import { signIn } from '../../features/session/api/sign-in.js';
import { Door } from './door.js';

/** Where the link in an invitation leads. The token stands behind the `#`, which no server gets to see. */
export function InvitationPage() {
  const hash = useLocation({ select: (location) => location.hash });
  // Kept, for the address is cleared of it once it is read.
  const [token] = useState(hash);
  const query = useQuery({ ...invitationQuery(token), enabled: token !== '' });
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const enter = useMutation({
    mutationFn: async ({ email, password, tenantKey }: Accepted) => {
      if ((await signIn({ email, password })) === 'second-factor') throw new Error('second factor required');
      return tenantKey;
    },
    onSuccess: (tenantKey) => {
      queryClient.clear();
      void (tenantKey === null
        ? navigate({ to: '/' })
        : navigate({ to: '/portal/$tenantKey', params: { tenantKey } }));
    },
    // The account is there all the same: the door itself says what is wrong.
    onError: () => void navigate({ to: '/sign-in' }),
  });
  const { data: invitation } = query;
  if (token === '' || invitation === null) {
    return (
      <Door title="This invitation is invalid">
        <Alert color="ochre" mt="sm" icon={<IconMailOff size={18} aria-hidden />}>
          {token === ''
            ? 'The link is incomplete. Open it from your email again.'
            : 'It was already used, has expired or was revoked. Ask for a new invitation.'}
        </Alert>
        <Group mt="md">
          <LinkButton to="/sign-in" variant="default">
            Sign in
          </LinkButton>
        </Group>
      </Door>
    );
  }
  if (query.error) {
    return (
      <Door title="The invitation could not be loaded" lead={query.error.message}>
        <Button variant="default" onClick={() => void query.refetch()}>
          Try again
        </Button>
      </Door>
    );
  }
  if (!invitation) {
    return (
      <Door title="Loading invitation">
        <Skeleton h={180} />
      </Door>
    );
  }
  return (
    <Door title={`Join ${invitation.to}`}>
      <AcceptForm token={token} invitation={invitation} onAccepted={(accepted) => enter.mutate(accepted)} />
    </Door>
  );
}

interface Accepted {
  email: string;
  password: string;
  tenantKey: string | null;
}
