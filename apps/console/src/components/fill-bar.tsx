import { Progress } from '@mantine/core';

interface FillBarProps {
  /** What the bar is called for those who hear it. */
  label: string;
  /** How full it is: 0 to 1; more counts as full. */
  share: number;
}

/** How full a limit is; from 80 % and at 100 %, where tenants are told of it, in another colour. */
export function FillBar({ label, share }: FillBarProps) {
  // Rounded, because it is read out as it stands.
  const percent = Math.min(100, Math.round(share * 1_000) / 10);
  return (
    <Progress
      value={percent}
      color={percent >= 100 ? 'ember' : percent >= 80 ? 'ochre.4' : 'gate'}
      size={6}
      my={5}
      transitionDuration={200}
      aria-label={label}
    />
  );
}
