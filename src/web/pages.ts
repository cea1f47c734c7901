import type { FunctionComponent } from 'preact';
import { ComparePage } from './compare/compare-page.tsx';
import { EntityPage } from './entity/entity-page.tsx';
import type { Address } from './navigation.ts';
import { SearchPage } from './search/search-page.tsx';

export interface PageProps {
  readonly address: Address;
}

interface Page {
  readonly path: string;
  readonly title: string;
  readonly component: FunctionComponent<PageProps>;
  /** Whether the header links to it. */
  readonly inHeader: boolean;
}

/** Every page. A new one is a file with a component, and a line here. */
export const PAGES: readonly Page[] = [
  { path: '/', title: 'Search', component: SearchPage, inHeader: true },
  { path: '/ui/entity', title: 'Entity', component: EntityPage, inHeader: false },
  { path: '/ui/compare', title: 'Compare', component: ComparePage, inHeader: true },
];
