// Node's own `import()`, for modules that development and vitest evaluate: theirs would transform a package. The modules
// load this file by `require`.

export function importByNode(url: string): Promise<unknown> {
  return import(url)
}
