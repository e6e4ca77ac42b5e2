import { afterEach, describe, expect, it, vi } from 'vitest';
import { eventually, WAIT_LIMIT_MS } from './eventually.js';

describe('eventually', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it('returns the first truthy value of its probe', async () => {
    const values = [undefined, null, 0, false, '', 'found', 'later'];
    expect(await eventually(() => values.shift())).toBe('found');
  });

  it('fails at once if its probe fails', async () => {
    const probe = vi.fn().mockRejectedValue(new Error('broken'));
    await expect(eventually(probe)).rejects.toThrow('broken');
    expect(probe).toHaveBeenCalledTimes(1);
  });

  it('names its probe when the time is over', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const probe = async () => {
      vi.advanceTimersByTime(WAIT_LIMIT_MS + 1);
      return false;
    };
    await expect(eventually(probe)).rejects.toThrow(/^not within 120 s: async \(\) => /);
  });
});
