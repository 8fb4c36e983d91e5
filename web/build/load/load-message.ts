// What load-process.ts sends to load.ts. A file of its own: the process loads none of the build's modules.

/** What load-process.ts sends. */
export type LoadMessage =
  /** `file`: app-relative, or FRAME. */
  | { kind: 'loading'; file: string }
  | {
      kind: 'thrown'
      file: string
      during: 'load' | 'render'
      /** Name and message. */
      text: string
      stack: string
      /** Names of the environment that were read meanwhile, and have no value here. */
      unset: string[]
    }
  /** The module waits for something that does not happen. */
  | { kind: 'waiting'; file: string }
  | { kind: 'end' }

/** What the entry of the server bundle imports: `_document`, `_app`, and their modules. */
export const FRAME = ''
