/** A message of a conversation. */
export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

/** A language model that answers questions. */
export interface ChatModel {
  /** Its name, as answers show it. */
  readonly name: string;
  /**
   * The answer, part by part. Ends when the answer is complete. Throws CHAT_UNAVAILABLE if the endpoint cannot be reached, is
   * silent for too long or breaks off, CHAT_REJECTED if it refuses, and the signal's reason when aborted. What came before
   * was the start of the answer.
   */
  answer(messages: readonly ChatMessage[], signal?: AbortSignal): AsyncIterable<string>;
}
