/** An expected failure with advice. */
export class StepError extends Error {
  constructor(message, details = {}) {
    super(message);
    this.name = 'StepError';
    this.logFile = details.logFile;
    this.output = details.output;
    this.advice = details.advice;
  }
}

export function lastLines(text, count = 20) {
  return text.trimEnd().split('\n').slice(-count).join('\n');
}

const NAME_WIDTH = 58;

/** Prints each step with its time. On a terminal, also shows the step in progress. */
export class Steps {
  #live = process.stdout.isTTY === true;
  #startedAt = performance.now();

  /** @param {string} title printed once, also when the script runs again under another Node */
  constructor(title) {
    if (!process.env.TOLLGATE_WRAPPED) console.log(`${title}\n`);
  }

  /**
   * @template T @param {string} name @param {(describe: (detail: string) => void) => T | Promise<T>} work @returns
   * {Promise<T>}
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

  get elapsed() {
    return seconds(performance.now() - this.#startedAt);
  }

  #done(mark, label, startedAt) {
    const line = `  ${mark} ${label.padEnd(NAME_WIDTH)} ${seconds(performance.now() - startedAt).padStart(7)}`;
    process.stdout.write(this.#live ? `\r\u001b[2K${line}\n` : `${line}\n`);
  }
}

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

/** 12345 → `12.3 s`. */
export function seconds(ms) {
  return `${(ms / 1000).toFixed(1)} s`;
}
