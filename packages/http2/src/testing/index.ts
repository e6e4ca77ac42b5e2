export { FrameFuzzer, numbersFrom } from './fuzzer.js';
export * from './hpack.js';
export * from './raw-client.js';
