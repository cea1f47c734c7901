import { describe, expect, it } from 'vitest';
import { toRouterPath } from './router-path.ts';

describe('toRouterPath', () => {
  it.each([
    ['/a/{id}', '/a/:id'],
    ['/a/{id}/{rest*}', '/a/:id/:rest{.+}'],
    ['/a/{rest*}/end', '/a/:rest{.+/end}'],
    ['/a/b:verb', '/a/:_{b:verb}'],
  ])('turns %s into %s', (path, expected) => {
    expect(toRouterPath(path)).toBe(expected);
  });
});
