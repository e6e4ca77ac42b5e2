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
  live?: Live | null;
  /** Units without the floors of all children. */
  common: number;
  floor?: { units: number; live?: Live | null } | null;
}

interface Live {
  used: number;
  remaining: number;
  resetAt: string;
}

interface SharedLimitsProps {
  title: string;
  note: ReactNode;
  limits: readonly SharedLimitShown[];
  timeZone: string;
  actions?: ReactNode;
}

/** Limits that a parent and its children share, with the usage of all of them; nothing if there are none. */
export function SharedLimits({ title, note, limits, timeZone, actions }: SharedLimitsProps) {
  if (limits.length === 0) return null;
  return (
    <Panel title={title} note={note} actions={actions}>
      <Stack gap={14}>
        {limits.map(({ apiKey, name, limit, summary, live, common, floor }) => (
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
            {floor && (
              <Numbers>
                <span>
                  Floor: {floor.live ? `${formatNumber(floor.live.used)} of ` : ''}
                  {formatNumber(floor.units)} used
                </span>
              </Numbers>
            )}
            {common < limit && (
              <Text size="xs" c="dimmed">
                {formatNumber(limit - common)} reserved by floors, {formatNumber(common)} for everyone
              </Text>
            )}
          </div>
        ))}
      </Stack>
    </Panel>
  );
}
