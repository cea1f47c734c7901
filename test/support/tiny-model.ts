import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The pieces of the tokenizer. The place of a piece is its id, and its vector. The last ones have words of several scripts. */
export const PIECES = [
  ...['<s>', '<pad>', '</s>', '<unk>'],
  ...['▁query', '▁passage', ':', '▁こんにちは', '世界', '▁мир', '▁hello', '▁a', '▁sentence', '▁'],
];
const UNKNOWN = 3;
const DIMENSIONS = 8;

/** Any numbers that differ from piece to piece. */
export const vectorOf = (id: number): readonly number[] =>
  Array.from({ length: DIMENSIONS }, (_, at) => Math.fround(Math.sin((id + 1) * (at + 2))));

/**
 * Writes a sentence model with the shape of the multilingual ones: a Unigram tokenizer with the settings of XLM-RoBERTa, and
 * weights that give each token a vector of its own. `known: false`: the tokenizer knows no words.
 */
export async function writeTinyModel(folder: string, { known = true } = {}): Promise<void> {
  await mkdir(join(folder, 'onnx'), { recursive: true });
  await writeFile(join(folder, 'onnx/model.onnx'), onnxLookup());
  const json = (name: string, value: object) => writeFile(join(folder, name), JSON.stringify(value));
  await json('config.json', { model_type: 'xlm-roberta', hidden_size: DIMENSIONS });
  await json('tokenizer_config.json', { tokenizer_class: 'XLMRobertaTokenizer', model_max_length: 512 });
  await json('tokenizer.json', tokenizer(known ? PIECES : PIECES.slice(0, UNKNOWN + 1)));
}

function tokenizer(pieces: readonly string[]): object {
  const special = (id: number) => ({ id, content: PIECES[id], special: true, normalized: false });
  const metaspace = { type: 'Metaspace', replacement: '▁', add_prefix_space: true };
  const template = [
    { SpecialToken: { id: '<s>', type_id: 0 } },
    { Sequence: { id: 'A', type_id: 0 } },
    { SpecialToken: { id: '</s>', type_id: 0 } },
  ];
  const used = (id: number) => ({ id: PIECES[id], ids: [id], tokens: [PIECES[id]] });
  return {
    version: '1.0',
    added_tokens: [0, 1, 2, UNKNOWN].map(special),
    normalizer: { type: 'Precompiled', precompiled_charsmap: '' },
    pre_tokenizer: { type: 'Sequence', pretokenizers: [{ type: 'WhitespaceSplit' }, metaspace] },
    post_processor: {
      type: 'TemplateProcessing',
      single: template,
      pair: template,
      special_tokens: { '<s>': used(0), '</s>': used(2) },
    },
    decoder: metaspace,
    model: { type: 'Unigram', unk_id: UNKNOWN, vocab: pieces.map((piece, id) => [piece, id <= UNKNOWN ? 0 : -id]) },
  };
}

/** A graph of one step: the vector of each token, by its id. The fields are those of the ONNX format, in protocol buffers. */
function onnxLookup(): Uint8Array {
  const numbers = PIECES.flatMap((_, id) => vectorOf(id));
  const raw = new Uint8Array(Float32Array.from(numbers).buffer);
  const table = [...number(1, PIECES.length), ...number(1, DIMENSIONS), ...number(2, FLOAT), ...text(8, 'table')];
  const node = [...text(1, 'table'), ...text(1, 'input_ids'), ...text(2, 'last_hidden_state'), ...text(4, 'Gather')];
  const graph = [
    ...bytes(1, node),
    ...text(2, 'lookup'),
    ...bytes(5, [...table, ...bytes(9, raw)]),
    ...bytes(11, value('input_ids', INT64, ['batch', 'length'])),
    ...bytes(11, value('attention_mask', INT64, ['batch', 'length'])),
    ...bytes(12, value('last_hidden_state', FLOAT, ['batch', 'length', 'size'])),
  ];
  return Uint8Array.from([...number(1, 8), ...bytes(7, graph), ...bytes(8, number(2, 13))]);
}

const FLOAT = 1;
const INT64 = 7;

function value(name: string, type: number, dimensions: readonly string[]): number[] {
  const shape = dimensions.flatMap((one) => bytes(1, text(2, one)));
  return [...text(1, name), ...bytes(2, bytes(1, [...number(1, type), ...bytes(2, shape)]))];
}

function varint(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...varint(value >>> 7)];
}

const number = (field: number, value: number): number[] => [...varint(field << 3), ...varint(value)];
const bytes = (field: number, content: Iterable<number>): number[] => {
  const all = [...content];
  return [...varint((field << 3) | 2), ...varint(all.length), ...all];
};
const text = (field: number, content: string): number[] => bytes(field, new TextEncoder().encode(content));
