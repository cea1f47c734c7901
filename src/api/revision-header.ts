/** The last write that an answer includes, where several nodes share a record. Send it with the next request to read your writes. */
export const REVISION_HEADER = 'Dowser-Revision';
