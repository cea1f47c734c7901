import type { DocumentReader } from '../../documents/contract/document-reader.ts';

/** The reader of files that are sent. Loaded at the first one: most servers get none. */
export function sharedReader(): Pick<DocumentReader, 'read'> {
  let opened: Promise<DocumentReader> | undefined;
  return {
    async read(input, options) {
      opened ??= import('../../documents/read/open-document-reader.ts').then(({ openDocumentReader }) =>
        openDocumentReader(),
      );
      return (await opened).read(input, options);
    },
  };
}

/** The reader for the files of one caller: `who` is whose requests are counted together. */
export function readerOf(who: string, reader: Pick<DocumentReader, 'read'>): Pick<DocumentReader, 'read'> {
  return { read: (input, options) => reader.read(input, { ...options, caller: who }) };
}
