/** The log of the engine, for example of a snapshot that was not used. A pino logger implements it. */
export interface EngineLog {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
}

export const SILENT_LOG: EngineLog = { info() {}, warn() {} };
