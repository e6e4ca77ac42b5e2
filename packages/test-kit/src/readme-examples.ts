import { readFileSync } from 'node:fs';
import { format } from 'node:util';

const IMPORT = /^import \{ (.+) \} from '(.+)';$/gm;
const LOG = /^console\.log\(.*\); \/\/ (.*)$/gm;

/** What examples may import, by package. */
export type Importable = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

export interface ExampleRun {
  logged: string[];
  /** What the example says, beside a `console.log`, that it logs. */
  promised: string[];
}

/** The blocks of code in one language of a document, in order. */
export function codeBlocksOf(document: URL, language: string): string[] {
  const blocks = new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms');
  return [...readFileSync(document, 'utf8').matchAll(blocks)].map(([, text = '']) => text);
}

/** Runs an example with what it imports, and with names that an example before it has left. */
export async function runExample(
  example: string,
  importable: Importable,
  given: Readonly<Record<string, unknown>> = {},
): Promise<ExampleRun> {
  const names: Record<string, unknown> = { ...given };
  for (const [, imported = '', from = ''] of example.matchAll(IMPORT)) {
    for (const name of imported.split(', ')) {
      const value = importable[from]?.[name];
      if (value === undefined) throw new Error(`${from} has no ${name}`);
      names[name] = value;
    }
  }
  const logged: string[] = [];
  const log = (...values: unknown[]) => void logged.push(format(...values));
  const AsyncFunction = (async () => undefined).constructor as FunctionConstructor;
  const body = new AsyncFunction(...Object.keys(names), 'console', example.replace(IMPORT, ''));
  await body(...Object.values(names), { log });
  return { logged, promised: [...example.matchAll(LOG)].map(([, text = '']) => text) };
}
