import { DowserError } from '../../model/errors/errors.ts';
import type { Embedder, EmbedOptions } from '../embedder.ts';
import { LoadFailure } from '../load-failure.ts';
import { Attempts, EndpointError, RefusedRequest, type RemoteOptions } from './attempts.ts';
import { AwsFetchHandler } from './aws-fetch-handler.ts';
import { type BedrockFamily, bedrockFamily } from './bedrock-models.ts';
import { endpointAddress } from './embedding-endpoint.ts';
import { parseAnswer } from './embedding-response.ts';
import { batchesOf } from './text-batches.ts';

/** `apiKey` is the access key id. With neither key, AWS's credential chain is used: environment, profile, role. */
export interface BedrockEmbedderOptions extends RemoteOptions {
  readonly secretKey?: string | undefined;
  /** Default `us-east-1`. */
  readonly awsRegion?: string | undefined;
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
const HINTS = {
  network: 'Check EMBEDDINGS_AWS_REGION, EMBEDDINGS_API_BASE and the network.',
  denied: 'Check the AWS credentials and their permission to invoke the model.',
  missing: 'Check EMBEDDINGS_MODEL_NAME, and that the model is available in EMBEDDINGS_AWS_REGION.',
};

/**
 * Models of Amazon Bedrock, called with AWS's client, an optional peer dependency. It is imported at the first call, which
 * says how to install it if it is missing. Throws INVALID_SETTING for a model of an unknown family.
 */
export function openBedrockEmbedder(options: BedrockEmbedderOptions): Embedder {
  const { model, dimensions } = options;
  const family = bedrockFamily(model, dimensions);
  const config = clientConfig(options);
  const name = `Amazon Bedrock (${options.apiBase ?? config.region}, ${model})`;
  const attempts = new Attempts(name, HINTS, options);
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
    const answer = await attempts.run((abortSignal) => client.send(command(), { abortSignal }).catch(refuse), signal);
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

function clientConfig({ awsRegion, apiKey, secretKey, apiBase }: BedrockEmbedderOptions) {
  if ((apiKey === undefined) !== (secretKey === undefined)) {
    const [given, absent] =
      apiKey === undefined
        ? ['EMBEDDINGS_SECRET_KEY', 'EMBEDDINGS_API_KEY']
        : ['EMBEDDINGS_API_KEY', 'EMBEDDINGS_SECRET_KEY'];
    throw new DowserError('INVALID_SETTING', `Amazon Bedrock needs ${absent} too: only ${given} is set.`, {
      field: absent!.toLowerCase(),
      hint: "Set both (access key id and secret access key), or neither to use AWS's credential chain.",
    });
  }
  return {
    region: awsRegion ?? DEFAULT_REGION,
    // Attempts are counted by `Attempts`, the same for every provider.
    maxAttempts: 1,
    requestHandler: new AwsFetchHandler(),
    ...(apiBase === undefined ? {} : { endpoint: endpointAddress(apiBase, 'https://bedrock.example.com').href }),
    ...(apiKey === undefined || secretKey === undefined
      ? {}
      : { credentials: { accessKeyId: apiKey, secretAccessKey: secretKey } }),
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

/** The fields that are read of an error of AWS's client. */
interface AwsError {
  readonly name?: string;
  readonly message?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
  readonly $response?: { readonly headers?: Readonly<Record<string, string>> };
}

function refuse(cause: unknown): never {
  const { name, message = String(cause), $metadata, $response } = cause as AwsError;
  if (name === 'CredentialsProviderError') {
    throw new EndpointError('EMBEDDER_REJECTED', `No credentials for Amazon Bedrock: ${message}`, {
      hint: "Set EMBEDDINGS_API_KEY and EMBEDDINGS_SECRET_KEY, or AWS's own: AWS_PROFILE, a role, or environment variables.",
      cause,
    });
  }
  const status = $metadata?.httpStatusCode;
  if (status === undefined) throw cause;
  throw new RefusedRequest(status, message, $response?.headers?.['retry-after'], cause);
}
