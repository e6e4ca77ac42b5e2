// Usage: pnpm fuzz http [--messages 100000] [--seed 7], or pnpm fuzz grpc [--calls 100000] [--seed 7]
const FUZZERS: Readonly<Record<string, () => Promise<unknown>>> = {
  http: () => import('./http.ts'),
  grpc: () => import('./grpc.ts'),
};

const args = process.argv.slice(2).filter((arg) => arg !== '--');
const fuzzer = FUZZERS[args[0] ?? ''];
if (fuzzer === undefined) throw new Error(`name a server: ${Object.keys(FUZZERS).join(' or ')}`);
process.argv = [...process.argv.slice(0, 2), ...args.slice(1)];
await fuzzer();
