import { DowserError } from '../../model/errors.ts';
import { showValue } from '../../model/parse.ts';
import type { Embedder, EmbedOptions } from '../embedder.ts';
import { LoadFailure } from '../load-failure.ts';
import { Attempts, EndpointError, isRetryableStatus, toRetryAfterMs } from './attempts.ts';
import { AwsFetchHandler } from './aws-fetch-handler.ts';
import { type BedrockFamily, bedrockFamily } from './bedrock-models.ts';
import { endpointAddress, reasonOf } from './embedding-endpoint.ts';
import { parseAnswer } from './embedding-response.ts';
import { batchesOf } from './text-batches.ts';

export interface BedrockEmbedderOptions {
  /** A model id, an inference profile or an ARN of Bedrock. */
  readonly model: string;
  readonly dimensions: number;
  /** Default `us-east-1`. */
  readonly region?: string | undefined;
  /** Both or neither. With neither, AWS's credential chain is used: environment, profile, role. */
  readonly accessKeyId?: string | undefined;
  readonly secretAccessKey?: string | undefined;
  /** In place of the region's address, such as a private endpoint. */
  readonly apiBase?: string | undefined;
  /** For one attempt. Default 30 s. */
  readonly timeoutMs?: number | undefined;
  /** The wait before the second attempt, doubled before the third. Default 500. */
  readonly backoffMs?: number | undefined;
  /** Loads AWS's client. Default: imports it. */
  readonly load?: (() => Promise<BedrockLibrary>) | undefined;
}

/** The part of `@aws-sdk/client-bedrock-runtime` that is used. */
export interface BedrockLibrary {
  readonly BedrockRuntimeClient: new (config: object) => BedrockClient;
  readonly InvokeModelCommand: new (input: {
    modelId: string;
    contentType: string;
    accept: string;
    body: string;
  }) => object;
}

interface BedrockClient {
  send(command: object, options: { abortSignal: AbortSignal }): Promise<{ readonly body: Uint8Array }>;
  destroy(): void;
}

const LIBRARY = '@aws-sdk/client-bedrock-runtime';
const DEFAULT_REGION = 'us-east-1';

/**
 * Models of Amazon Bedrock, called with AWS's client, an optional peer dependency. It is imported at the first call, which
 * says how to install it if it is missing. Throws INVALID_SETTING for a model of an unknown family.
 */
export function openBedrockEmbedder(options: BedrockEmbedderOptions): Embedder {
  const { model, dimensions, timeoutMs = 30_000, backoffMs = 500 } = options;
  const family = bedrockFamily(model, dimensions);
  const config = clientConfig(options);
  const name = `Amazon Bedrock (${options.apiBase ?? config.region})`;
  const attempts = new Attempts({ name, timeoutMs, backoffMs });
  let opened: Promise<{ readonly client: BedrockClient; readonly library: BedrockLibrary }> | undefined;

  async function open() {
    const library = await (options.load ?? importLibrary)().catch((cause: unknown) => {
      // If the package is installed later, the next call finds it.
      opened = undefined;
      throw libraryMissing(cause);
    });
    return { library, client: new library.BedrockRuntimeClient(config) };
  }

  async function request(texts: readonly string[], { as, signal }: EmbedOptions): Promise<readonly Float32Array[]> {
    opened ??= open();
    const { client, library } = await opened;
    const body = JSON.stringify(family.body(texts, as));
    const command = () =>
      new library.InvokeModelCommand({ modelId: model, contentType: 'application/json', accept: '*/*', body });
    const answer = await attempts.run(async (abortSignal, timeout) => {
      try {
        return await client.send(command(), { abortSignal });
      } catch (cause) {
        throw toEndpointError(cause, { name, model, timeoutMs: timeout.aborted ? timeoutMs : undefined });
      }
    }, signal);
    return parseAnswer(new TextDecoder().decode(answer.body), name, (json) => family.parse(json, texts.length));
  }

  return {
    id: `bedrock/${model}/${dimensions}`,
    dimensions,
    async embed(texts, embedOptions) {
      const batches = [...batchesOf(texts, family.limits)];
      return (await inOrder(batches, family, (batch) => request(batch, embedOptions))).flat();
    },
    async close() {
      attempts.close();
      const { client } = (await opened?.catch(() => undefined)) ?? {};
      client?.destroy();
    },
  };
}

/** Runs the family's number of concurrent calls. The first failure ends it. */
async function inOrder<T, R>(
  items: readonly T[],
  { concurrency }: BedrockFamily,
  work: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  let next = 0;
  let failed = false;
  const runner = async () => {
    while (next < items.length && !failed) {
      const at = next++;
      try {
        results[at] = await work(items[at]!);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, runner));
  return results;
}

function clientConfig({ region, accessKeyId, secretAccessKey, apiBase }: BedrockEmbedderOptions) {
  if ((accessKeyId === undefined) !== (secretAccessKey === undefined)) {
    const [given, absent] =
      accessKeyId === undefined
        ? ['EMBEDDINGS_SECRET_KEY', 'EMBEDDINGS_API_KEY']
        : ['EMBEDDINGS_API_KEY', 'EMBEDDINGS_SECRET_KEY'];
    throw new DowserError('INVALID_SETTING', `Amazon Bedrock needs ${absent} too: only ${given} is set.`, {
      field: absent!.toLowerCase(),
      hint: "Set both (access key id and secret access key), or neither to use AWS's credential chain.",
    });
  }
  return {
    region: region ?? DEFAULT_REGION,
    // Attempts are counted by `Attempts`, the same for every provider.
    maxAttempts: 1,
    requestHandler: new AwsFetchHandler(),
    ...(apiBase === undefined ? {} : { endpoint: endpointAddress(apiBase, 'https://bedrock.example.com').href }),
    ...(accessKeyId === undefined || secretAccessKey === undefined
      ? {}
      : { credentials: { accessKeyId, secretAccessKey } }),
  };
}

async function importLibrary(): Promise<BedrockLibrary> {
  return (await import('@aws-sdk/client-bedrock-runtime')) as unknown as BedrockLibrary;
}

function libraryMissing(cause: unknown): LoadFailure {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new LoadFailure(`Cannot import ${LIBRARY}, which Amazon Bedrock needs: ${why}`, {
    hint: `Install it with \`npm install ${LIBRARY}\`, or set EMBEDDINGS_PROVIDER to another provider.`,
    cause,
  });
}

interface Failure {
  readonly name: string;
  readonly model: string;
  /** Set if the attempt timed out. */
  readonly timeoutMs: number | undefined;
}

/** The fields that are read of an error of AWS's client. */
interface AwsError {
  readonly name?: string;
  readonly message?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
  readonly $response?: { readonly headers?: Readonly<Record<string, string>> };
}

function toEndpointError(cause: unknown, { name, model, timeoutMs }: Failure): EndpointError {
  const error = cause as AwsError;
  const status = error.$metadata?.httpStatusCode;
  if (timeoutMs !== undefined) {
    const message = `${name} did not answer within ${timeoutMs} ms.`;
    return new EndpointError('EMBEDDER_UNAVAILABLE', message, { cause, isRetryable: true });
  }
  const said = oneLine(error.message ?? String(cause));
  if (error.name === 'CredentialsProviderError') {
    return new EndpointError('EMBEDDER_REJECTED', `No credentials for ${name}: ${said}.`, {
      hint: "Set EMBEDDINGS_API_KEY and EMBEDDINGS_SECRET_KEY, or AWS's own: AWS_PROFILE, a role, or environment variables.",
      cause,
    });
  }
  if (status === undefined) {
    const hint = 'Check EMBEDDINGS_AWS_REGION, EMBEDDINGS_API_BASE and the network.';
    const message = `${name} cannot be reached: ${reasonOf(cause)}.`;
    return new EndpointError('EMBEDDER_UNAVAILABLE', message, { hint, cause });
  }
  // A 200 that the client cannot read is not a network failure: a retry would get the same answer.
  const message = `${name} answers ${status} for ${showValue(model)}: ${said}.`;
  if (isRetryableStatus(status)) {
    const retryAfterMs = toRetryAfterMs(error.$response?.headers?.['retry-after']);
    const patience = retryAfterMs === undefined ? {} : { retryAfterMs };
    return new EndpointError('EMBEDDER_UNAVAILABLE', message, { status, isRetryable: true, cause, ...patience });
  }
  const hint = hintFor(status);
  return new EndpointError('EMBEDDER_REJECTED', message, { status, cause, ...(hint === undefined ? {} : { hint }) });
}

function hintFor(status: number): string | undefined {
  if (status === 401 || status === 403) return 'Check the AWS credentials and their permission to invoke the model.';
  if (status === 404) return 'Check EMBEDDINGS_MODEL_NAME, and that the model is available in EMBEDDINGS_AWS_REGION.';
  return undefined;
}

function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim().replace(/\.$/, '');
  return line.length > 200 ? `${line.slice(0, 197)}...` : line;
}
