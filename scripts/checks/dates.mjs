const MONTHS = Array.from({ length: 12 }, (_, month) => month);

/** Ten minutes after a half hour, the day begins in no time zone for the duration of a file. */
const at = (...moment) => `${new Date(Date.UTC(...moment)).toISOString().slice(0, 16)}Z`;

/** Dates of `pnpm test:nightly dates`, ISO 8601, after the present because Postgres keeps its own time. */
export const DATES = [
  // First and last day of each month of a leap year.
  ...MONTHS.map((month) => at(2032, month, 1, 0, 10)),
  ...MONTHS.map((month) => at(2032, month + 1, 0, 22, 40)),
  // Before and after the hour that New York and Berlin skip or repeat.
  at(2032, 2, 14, 6, 40),
  at(2032, 2, 14, 7, 10),
  at(2032, 2, 28, 0, 40),
  at(2032, 2, 28, 1, 10),
  at(2032, 9, 31, 0, 40),
  at(2032, 9, 31, 1, 10),
  at(2032, 10, 7, 5, 40),
  at(2032, 10, 7, 6, 10),
  // The end of February in other years, and the days and weeks after it.
  at(2033, 1, 28, 22, 40),
  at(2033, 2, 1, 0, 10),
  at(2033, 2, 8, 12, 10),
  at(2033, 2, 27, 12, 10),
  at(2036, 1, 28, 22, 40),
  // The middle of a month, on a weekday and on a Sunday, and the end of a week.
  at(2034, 5, 15, 12, 10),
  at(2034, 9, 15, 12, 10),
  at(2035, 6, 8, 22, 40),
];
