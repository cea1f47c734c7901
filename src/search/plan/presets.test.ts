import { describe, expect, it } from 'vitest';
import { getPreset } from './presets.ts';

describe('getPreset', () => {
  it.each([
    ['hybird', /^Did you mean 'hybrid'\? Use one of hybrid, /],
    ['constructor', /^Use one of hybrid, /],
  ])('throws for %s and suggests a preset', (name, hint) => {
    expect(() => getPreset(name)).toThrow(
      expect.objectContaining({ code: 'UNKNOWN_PRESET', hint: expect.stringMatching(hint) }),
    );
  });
});
