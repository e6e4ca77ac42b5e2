import type { KeyboardEvent, ReactNode } from 'react';

export interface PointSliderProps {
  /** Accessible name of the chart. */
  label: string;
  /** Index of the selected point. */
  selected: number | undefined;
  /** Called with undefined when the chart loses the focus or the pointer. */
  onSelect: (index: number | undefined) => void;
  /** A point in words, read to screen readers. */
  describe: (index: number) => string;
  onEnter?: (index: number) => void;
  onEscape?: () => void;
}

interface ChartProps extends PointSliderProps {
  /** Number of points. */
  count: number;
  className?: string | undefined;
  /** The drawing; hidden from screen readers. */
  children: ReactNode;
}

/** Makes a chart usable by keyboard: arrow keys, Page Up, Page Down, Home and End move between its points. */
export function PointSlider({ label, selected, onSelect, describe, count, ...props }: ChartProps) {
  const { onEnter, onEscape, className, children } = props;
  const last = Math.max(0, count - 1);
  const shown = selected === undefined || count === 0 ? undefined : Math.min(selected, last);
  const onKeyDown = (event: KeyboardEvent) => {
    const moved = movedBy(event.key, shown ?? last + 1, last);
    if (moved !== undefined) onSelect(moved);
    else if (event.key === 'Enter' && shown !== undefined && onEnter) onEnter(shown);
    else if (event.key === 'Escape' && onEscape) onEscape();
    else return;
    event.preventDefault();
  };
  return (
    <div
      className={className}
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={last}
      aria-valuenow={shown ?? 0}
      aria-valuetext={shown === undefined ? 'No point selected' : describe(shown)}
      onKeyDown={onKeyDown}
      onBlur={() => onSelect(undefined)}
    >
      <div aria-hidden="true">{children}</div>
    </div>
  );
}

function movedBy(key: string, from: number, last: number): number | undefined {
  const page = Math.max(1, Math.round(last / 10));
  const to = { ArrowLeft: from - 1, ArrowRight: from + 1, PageUp: from + page, PageDown: from - page }[key];
  if (to !== undefined) return Math.min(last, Math.max(0, to));
  return key === 'Home' ? 0 : key === 'End' ? last : undefined;
}
