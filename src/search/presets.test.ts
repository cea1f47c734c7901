import { describe, expect, it } from 'vitest';
import { presetNamed } from './presets.ts';

describe('presetNamed', () => {
  it.each([
    ['hybird', /^Did you mean 'hybrid'\? Use one of hybrid, /],
    ['constructor', /^Use one of hybrid, /],
  ])('says of %s which there are, and which was meant', (name, hint) => {
    expect(() => presetNamed(name)).toThrow(
      expect.objectContaining({ code: 'UNKNOWN_PRESET', hint: expect.stringMatching(hint) }),
    );
  });
});
