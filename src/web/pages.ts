import type { FunctionComponent } from 'preact';
import { ComparePage } from './compare/compare-page.tsx';
import type { PageProps } from './data/navigation.ts';
import { DocumentsPage } from './documents/documents-page.tsx';
import { EntityPage } from './entity/entity-page.tsx';
import { AddPage } from './manage/add-page.tsx';
import { ComposePage } from './manage/compose-page.tsx';
import { PolicyPage } from './manage/policy-page.tsx';
import { MapPage } from './map/map-page.tsx';
import { MemoriesPage } from './memories/memories-page.tsx';
import { AccessPage } from './operate/access-page.tsx';
import { AuditPage } from './operate/audit-page.tsx';
import { SettingsPage } from './operate/settings-page.tsx';
import { StatusPage } from './operate/status-page.tsx';
import { QualityPage } from './quality/quality-page.tsx';
import { RecommendPage } from './recommend/recommend-page.tsx';
import { SearchPage } from './search/search-page.tsx';

export interface Page {
  readonly path: string;
  readonly title: string;
  readonly component: FunctionComponent<PageProps>;
  /** Whether the header links to it. */
  readonly inHeader: boolean;
  /** It does nothing but write, so callers who may not write get no link to it. */
  readonly writes?: true;
  /** Only for callers with the scope `admin`. */
  readonly admin?: true;
  /** The page of the header that it belongs to. */
  readonly under?: string;
}

/** Every page. A new one is a file with a component, and a line here. */
export const PAGES: readonly Page[] = [
  { path: '/', title: 'Search', component: SearchPage, inHeader: true },
  { path: '/ui/map', title: 'Map', component: MapPage, inHeader: true },
  { path: '/ui/entity', title: 'Entity', component: EntityPage, inHeader: false },
  { path: '/ui/recommend', title: 'Recommend', component: RecommendPage, inHeader: true },
  { path: '/ui/compare', title: 'Compare', component: ComparePage, inHeader: true },
  { path: '/ui/memories', title: 'Memories', component: MemoriesPage, inHeader: true },
  { path: '/ui/documents', title: 'Documents', component: DocumentsPage, inHeader: true },
  { path: '/ui/add', title: 'Add', component: AddPage, inHeader: true, writes: true },
  { path: '/ui/compose', title: 'Compose', component: ComposePage, inHeader: true, writes: true },
  { path: '/ui/policy', title: 'Policy', component: PolicyPage, inHeader: true },
  { path: '/ui/status', title: 'Status', component: StatusPage, inHeader: true },
  { path: '/ui/access', title: 'Access', component: AccessPage, inHeader: false, under: '/ui/status' },
  { path: '/ui/quality', title: 'Quality', component: QualityPage, inHeader: false, under: '/ui/status', admin: true },
  { path: '/ui/audit', title: 'Audit', component: AuditPage, inHeader: false, under: '/ui/status', admin: true },
  {
    path: '/ui/settings',
    title: 'Settings',
    component: SettingsPage,
    inHeader: false,
    under: '/ui/status',
    admin: true,
  },
];
