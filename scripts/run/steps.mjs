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

const NAME_WIDTH = 58;

/**
 * Prints what is being done, each step with its time. On a terminal the step in progress is visible; elsewhere (a
 * pipe, CI) a step is one line, printed when it is done.
 */
export class Steps {
  #live = process.stdout.isTTY === true;
  #startedAt = performance.now();

  /** @param {string} title printed once, also when the script runs again under another Node */
  constructor(title) {
    if (!process.env.TOLLGATE_WRAPPED) console.log(`${title}\n`);
  }

  /**
   * Runs one step.
   * @template T
   * @param {string} name
   * @param {(describe: (detail: string) => void) => T | Promise<T>} work may add a detail to the line
   * @returns {Promise<T>}
   */
  async run(name, work) {
    const startedAt = performance.now();
    let label = name;
    if (this.#live) process.stdout.write(`  … ${name}`);
    try {
      const result = await work((detail) => {
        label = `${name} (${detail})`;
      });
      this.#done('✔', label, startedAt);
      return result;
    } catch (error) {
      this.#done('✖', label, startedAt);
      throw Object.assign(error, { stepName: error.stepName ?? name });
    }
  }

  /** Seconds since the first step. */
  get elapsed() {
    return seconds(performance.now() - this.#startedAt);
  }

  #done(mark, label, startedAt) {
    const line = `  ${mark} ${label.padEnd(NAME_WIDTH)} ${seconds(performance.now() - startedAt).padStart(7)}`;
    process.stdout.write(this.#live ? `\r\u001b[2K${line}\n` : `${line}\n`);
  }
}

/** Says on standard error what failed, where its log is and what to do. */
export function explainFailure(error) {
  const lines = [''];
  if (error instanceof StepError) {
    lines.push(`Failed: ${error.stepName ?? 'start'}. ${error.message}`);
    if (error.output)
      lines.push(
        '',
        ...lastLines(error.output)
          .split('\n')
          .map((line) => `    ${line}`),
        '',
      );
    if (error.logFile) lines.push(`Log: ${error.logFile}`);
    lines.push(
      `What to do: ${error.advice ?? 'read the log, correct what it names, run the same command again.'}`,
    );
  } else {
    lines.push(`Failed: ${error?.stepName ?? 'start'}.`, '', `    ${error?.stack ?? error}`, '');
    lines.push('What to do: run the same command again; when it fails again, report the lines above.');
  }
  process.stderr.write(`${lines.join('\n')}\n`);
}

/** 12345 ms as `12.3 s`. */
export function seconds(ms) {
  return `${(ms / 1000).toFixed(1)} s`;
}
