/** Where the engine says what it did that nobody asked for. A pino logger fits. */
export interface EngineLog {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
}

export const SILENT_LOG: EngineLog = { info() {}, warn() {} };
