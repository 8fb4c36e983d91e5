// Entries of pages for tests of routing.

/** A page without a data function and without files. */
export function pageOf(pattern: string) {
  return { pattern, file: `pages${pattern}.tsx`, data: 'none' as const, files: { module: '', imports: [], styles: [] } }
}
