import { SecretModal } from '../../../components/copy.js';

/** What an endpoint's deliveries are signed with from now on, this once. */
export function EndpointSecret({ secret, onClose }: { secret: string; onClose: () => void }) {
  return (
    <SecretModal
      title="Copy the secret now"
      hint="You won’t be able to see this again. Receivers use it to verify signatures."
      secret={secret}
      copyLabel="Copy secret"
      doneLabel="I have saved it"
      onClose={onClose}
    />
  );
}
