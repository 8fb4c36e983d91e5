// The messages between a build and the process that compiles MDX.

/** The import of compiled MDX for the components of the app, as `@next/mdx` names it. */
export const MDX_PROVIDER = 'next-mdx-import-source-file'

export interface MdxJob {
  id: number
  /** Absolute. */
  path: string
  source: string
}

export type MdxReply = { id: number } & (
  | { kind: 'compiled'; code: string }
  /** The package that compiles is not installed. */
  | { kind: 'missing'; text: string }
  | { kind: 'fault'; text: string; line?: number; column?: number }
)
