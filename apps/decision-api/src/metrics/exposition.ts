/** One metric with everything that was measured of it; plain data, so that it can be handed from process to process. */
export interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly samples: readonly Sample[];
}

export interface Sample {
  /** What follows the family's name: `_bucket`, `_sum`, `_count` of a histogram; left out: nothing. */
  readonly suffix?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export const EXPOSITION_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** Writes metrics in Prometheus' text format 0.0.4, each family once. */
export function writeExposition(families: readonly Family[]): string {
  const blocks = new Map<string, string[]>();
  for (const { name, help, type, samples } of families) {
    const lines = blocks.get(name) ?? [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
    for (const { suffix = '', labels, value } of samples) {
      lines.push(`${name}${suffix}${writeLabels(labels)} ${writeNumber(value)}`);
    }
    blocks.set(name, lines);
  }
  return `${[...blocks.values()].flat().join('\n')}\n`;
}

/** The same metrics, each sample with one more label. */
export function labelled(families: readonly Family[], label: string, value: string): Family[] {
  return families.map((family) => ({
    ...family,
    samples: family.samples.map((sample) => ({ ...sample, labels: { ...sample.labels, [label]: value } })),
  }));
}

function writeLabels(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escaped(value: string): string {
  return value.replace(/[\\"\n]/g, (character) => (character === '\n' ? '\\n' : `\\${character}`));
}

function writeNumber(value: number): string {
  if (Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
}
