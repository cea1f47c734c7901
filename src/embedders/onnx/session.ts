import { createRequire } from 'node:module';
import { setImmediate } from 'node:timers/promises';
import { isMainThread } from 'node:worker_threads';
import type { Tensor as RuntimeTensor, TensorConstructor } from 'onnxruntime-common';

/** The part of the native library that Dowser calls. Its files are pinned, and so is this interface. */
interface Binding {
  readonly InferenceSession: new () => {
    loadModel(path: string, options: SessionOptions): void;
    readonly inputMetadata: readonly { readonly name: string }[];
    readonly outputMetadata: readonly { readonly name: string }[];
    run(
      feeds: Readonly<Record<string, RuntimeTensor>>,
      fetches: Readonly<Record<string, null>>,
      options: object,
    ): Readonly<Record<string, RuntimeTensor>>;
    dispose(): void;
  };
  initOrtOnce(logLevel: number, tensor: TensorConstructor, isMainThread: boolean): void;
}

interface SessionOptions {
  readonly intraOpNumThreads: number;
  readonly interOpNumThreads: number;
  readonly graphOptimizationLevel: 'disabled' | 'basic' | 'extended' | 'all';
  readonly logSeverityLevel: number;
}

/** Errors and worse. */
const LOG_LEVEL = 3;

/** A model that is loaded into the runtime. */
export interface Session {
  readonly inputNames: readonly string[];
  readonly outputNames: readonly string[];
  /** Token ids of one text in, floats out. Blocks the thread, and lets it read its messages before. */
  run(inputs: Readonly<Record<string, BigInt64Array>>, output: string): Promise<Float32Array>;
  close(): void;
}

/** Loads a model. `runtime` is the path that `ensureRuntime` gives. One runtime for each thread. */
export async function openSession(runtime: string, weights: string, options: SessionOptions): Promise<Session> {
  const { Tensor } = await import('onnxruntime-common');
  const binding = createRequire(import.meta.url)(runtime) as Binding;
  binding.initOrtOnce(LOG_LEVEL, Tensor, isMainThread);
  const session = new binding.InferenceSession();
  session.loadModel(weights, options);
  return {
    inputNames: session.inputMetadata.map(({ name }) => name),
    outputNames: session.outputMetadata.map(({ name }) => name),
    async run(inputs, output) {
      await setImmediate();
      const feeds = Object.entries(inputs).map(([name, ids]) => [name, new Tensor('int64', ids, [1, ids.length])]);
      return session.run(Object.fromEntries(feeds), { [output]: null }, {})[output]!.data as Float32Array;
    },
    close: () => session.dispose(),
  };
}
