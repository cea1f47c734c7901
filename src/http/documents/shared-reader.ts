import type { DocumentReader } from '../../documents/read/document-reader.ts';

/** The reader of files that are sent. Loaded at the first one: most servers get none. */
export function sharedReader(): Pick<DocumentReader, 'read'> {
  let opened: Promise<DocumentReader> | undefined;
  return {
    async read(input, options) {
      opened ??= import('../../documents/read/document-process.ts').then(({ openDocumentReader }) =>
        openDocumentReader(),
      );
      return (await opened).read(input, options);
    },
  };
}
