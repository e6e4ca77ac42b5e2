const PresentDate = Date;
const { timeOrigin } = performance;

let offsetMs = 0;

const nowMs = () => PresentDate.now() + offsetMs;

/** Milliseconds by which the wall clock of this process is ahead. */
export const dateOffsetMs = (): number => offsetMs;

/**
 * Continues the wall clock of this process from `date`: the product reads `Date` in many places, such as ids and defaults
 * of columns, and its nodes read `performance`. Postgres keeps its own time, so `date` is in the future.
 */
export function moveDate(date: string): void {
  offsetMs = PresentDate.parse(date) - PresentDate.now();
  if (globalThis.Date !== PresentDate) return;
  Object.defineProperty(performance, 'timeOrigin', { get: () => timeOrigin + offsetMs });
  globalThis.Date = new Proxy(PresentDate, {
    construct: (target, values: number[]) =>
      values.length === 0 ? new target(nowMs()) : new target(...(values as [number])),
    get: (target, name) => (name === 'now' ? nowMs : Reflect.get(target, name)),
  });
}
