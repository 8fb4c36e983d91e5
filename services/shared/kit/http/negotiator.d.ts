// The part of negotiator 1.1 that accept-encoding.ts uses; no published types have the option `preferred`.

declare module 'negotiator' {
  export default class Negotiator {
    constructor(request: { headers: Record<string, string | undefined> })
    /** The encodings of `available` that the client accepts, best first; between equals the order of `preferred`. */
    encodings(available: readonly string[], options: { preferred: readonly string[] }): string[]
  }
}
