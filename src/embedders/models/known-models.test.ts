import { describe, expect, it } from 'vitest';
import { BASE_MODEL, KNOWN_MODELS, knownModel, TOKENIZER, TOKENIZER_CONFIG } from './known-models.ts';

describe('the known models', () => {
  it.each(KNOWN_MODELS)('$name pins every file it needs, in every package', (model) => {
    const needed = [model.weights, TOKENIZER, TOKENIZER_CONFIG].sort();
    for (const modelPackage of model.packages) {
      expect(modelPackage.files.map((file) => file.name).sort()).toEqual(needed);
      if (!model.isShipped) expect(modelPackage.package).toMatch(/^(@[\w-]+\/)?[\w-]+@\d+\.\d+\.\d+$/);
      for (const file of modelPackage.files) {
        expect(file.sha256).toMatch(/^[0-9a-f]{64}$/);
        expect(file.bytes).toBeGreaterThan(0);
      }
    }
  });

  it.each([BASE_MODEL, 'sentence-transformers/all-MiniLM-L6-v2', 'Xenova/all-minilm-l6-v2'])('%s is found', (name) => {
    expect(knownModel(name).name).toBe('all-MiniLM-L6-v2');
  });
});
