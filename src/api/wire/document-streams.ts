/** Routes of documents that answer with server-sent events. They are outside of the contract, whose answers are JSON. */
export const UPLOAD_PATH = '/api/collections/{name}/files';
export const CHAT_PATH = '/api/collections/{name}/chat';
