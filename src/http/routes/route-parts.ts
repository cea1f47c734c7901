import type { DocumentReader } from '../../documents/contract/document-reader.ts';
import type { AppOptions } from '../context/app-options.ts';
import type { AsCaller } from '../context/as-caller.ts';
import type { CallerOf } from '../edge/request-caller.ts';
import type { AddRoute } from './route-table.ts';

/** What every group of routes is made with. */
export interface RouteParts {
  readonly options: AppOptions;
  readonly route: AddRoute;
  readonly asCaller: AsCaller;
  readonly callerOf: CallerOf;
  /** Reads files that were sent. All routes share its processes. */
  readonly reader: Pick<DocumentReader, 'read'>;
}
