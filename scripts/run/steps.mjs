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
const TICK_MS = 1_000;
const FIRST_REPORT_MS = 5_000;

/**
 * Prints each step with its time, and those in progress: on a terminal in a line that changes, else after 5, 10, 20, 40
 * seconds and so on. Steps may overlap.
 */
export class Steps {
  #live = process.stdout.isTTY === true;
  #startedAt = performance.now();
  /** In progress. */
  #running = new Set();
  #timer;

  /** @param {string} title printed once, also when the script runs again under another Node */
  constructor(title) {
    if (!process.env.TOLLGATE_WRAPPED) console.log(`${title}\n`);
  }

  /**
   * @template T
   * @param {string} name
   * @param {(describe: (detail: string) => void, progress: (output: string) => void) => T | Promise<T>} work `describe`
   * adds to the name, `progress` shows the last line of an output meanwhile
   * @returns {Promise<T>}
   */
  async run(name, work) {
    const step = {
      name,
      label: name,
      startedAt: performance.now(),
      progress: '',
      reportAfterMs: FIRST_REPORT_MS,
    };
    this.#running.add(step);
    this.#timer ??= setInterval(() => this.#tick(), TICK_MS).unref();
    if (this.#live) this.#show();
    try {
      const result = await work(
        (detail) => {
          step.label = `${name} (${detail})`;
        },
        (output) => {
          step.progress = output.trimEnd().split('\n').at(-1)?.trim() || step.progress;
        },
      );
      this.#done('✔', step);
      return result;
    } catch (error) {
      this.#done('✖', step);
      throw Object.assign(error, { stepName: error.stepName ?? name });
    }
  }

  get elapsed() {
    return seconds(performance.now() - this.#startedAt);
  }

  #done(mark, step) {
    this.#running.delete(step);
    const line = `  ${mark} ${step.label.padEnd(NAME_WIDTH)} ${elapsedOf(step).padStart(7)}`;
    process.stdout.write(this.#live ? `\r\u001b[2K${line}\n` : `${line}\n`);
    if (this.#live && this.#running.size > 0) this.#show();
  }

  #tick() {
    if (this.#live && this.#running.size > 0) this.#show();
    if (this.#live) return;
    for (const step of this.#running) {
      if (performance.now() - step.startedAt < step.reportAfterMs) continue;
      step.reportAfterMs *= 2;
      console.log(`  … ${describeStep(step)}`);
    }
  }

  #show() {
    const line = `  … ${[...this.#running].map(describeStep).join(', ')}`;
    process.stdout.write(`\r\u001b[2K${line.slice(0, process.stdout.columns || undefined)}`);
  }
}

function elapsedOf({ startedAt }) {
  return seconds(performance.now() - startedAt);
}

function describeStep({ name, startedAt, progress }) {
  const elapsed = `${Math.round((performance.now() - startedAt) / 1000)} s`;
  return [name, elapsed, progress].filter(Boolean).join(' ');
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
