import { Badge } from '@mantine/core';
import { IconArrowDown, IconArrowsUpDown, IconArrowUp, IconEqual } from '@tabler/icons-react';
import type { Effect } from '../limit-effects.js';

const LOOKS = {
  loosened: { color: 'gate', text: 'loosened', Icon: IconArrowUp },
  tightened: { color: 'ember', text: 'tightened', Icon: IconArrowDown },
  mixed: { color: 'ochre', text: 'mixed', Icon: IconArrowsUpDown },
  neutral: { color: 'gray', text: 'same strictness', Icon: IconEqual },
} as const;

/** What a change means for callers. */
export function EffectBadge({ effect }: { effect: Effect }) {
  const { color, text, Icon } = LOOKS[effect];
  return (
    <Badge color={color} leftSection={<Icon size={11} stroke={2.4} aria-hidden />}>
      {text}
    </Badge>
  );
}
