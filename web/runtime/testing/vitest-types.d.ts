// The types of `portico/testing/vitest` for app folders: without the build behind it.

/** The vitest plugin that runs tests of a site on its sources: `export default defineConfig({ plugins: [portico()] })`. */
export function portico(options?: { dir?: string }): Promise<{ name: string }[]>
