import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** For a window whose page is checked: the policy of the page would refuse the script of the checker. */
export const CHECKED = { bypassCSP: true, reducedMotion: 'reduce' } as const;

interface AxeReport {
  readonly violations: readonly {
    readonly id: string;
    readonly impact: string | null;
    readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
  }[];
}

/** What is hard to use for some people: the rule, and the elements. */
export async function seriousFindings(page: Page): Promise<readonly (readonly [string, readonly string[]])[]> {
  await page.evaluate(source);
  const { violations } = await page.evaluate<AxeReport>(
    "axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'] })",
  );
  const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  return serious.map(({ id, nodes }) => [id, nodes.map(({ html }) => html.slice(0, 200))]);
}
