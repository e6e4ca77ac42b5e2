/** A step that failed for a reason that we can explain. */
export class StepError extends Error {
  /**
   * @param {string} message what failed
   * @param {{ logFile?: string, output?: string, advice?: string }} [details] where its log is, its last lines, what to do
   */
  constructor(message, details = {}) {
    super(message);
    this.name = 'StepError';
    this.logFile = details.logFile;
    this.output = details.output;
    this.advice = details.advice;
  }
}

/** The last lines of a text, for showing beside an error. */
export function lastLines(text, count = 20) {
  return text.trimEnd().split('\n').slice(-count).join('\n');
}
