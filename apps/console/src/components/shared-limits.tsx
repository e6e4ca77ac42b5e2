import { Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { formatNumber } from '../lib/number-format.js';
import { formatInZone } from '../lib/time-format.js';
import { FillBar, Numbers } from './figures.js';
import { Panel } from './page.js';

export interface SharedLimitShown {
  apiKey: string;
  name: string;
  limit: number;
  summary: string;
  live?: { used: number; remaining: number; resetAt: string } | null;
}

interface SharedLimitsProps {
  title: string;
  note: ReactNode;
  limits: readonly SharedLimitShown[];
  timeZone: string;
}

/** Limits that a parent and its children share, with the usage of all of them; nothing if there are none. */
export function SharedLimits({ title, note, limits, timeZone }: SharedLimitsProps) {
  if (limits.length === 0) return null;
  return (
    <Panel title={title} note={note}>
      <Stack gap={14}>
        {limits.map(({ apiKey, name, limit, summary, live }) => (
          <div key={`${apiKey} ${name}`}>
            <Text size="sm" fw={500}>
              {name}{' '}
              <Text span inherit fw={400} c="dimmed">
                {apiKey}
              </Text>
            </Text>
            <Text size="xs" c="dimmed">
              {summary}
            </Text>
            {live ? (
              <>
                <FillBar label={`${name}, ${apiKey}`} share={limit === 0 ? 1 : live.used / limit} />
                <Numbers>
                  <span>
                    {formatNumber(live.used)} of {formatNumber(limit)} used together
                  </span>
                  {live.used > 0 && <span>resets {formatInZone(live.resetAt, timeZone)}</span>}
                </Numbers>
              </>
            ) : (
              <Text size="xs">Usage is unavailable right now.</Text>
            )}
          </div>
        ))}
      </Stack>
    </Panel>
  );
}
