// The order of stylesheets: that of their imports. A module's imports are read in the order of its lines, each with all
// that it imports itself, and each once: the order in which modules run.

/** The stylesheets below modules. What a stylesheet imports is part of it. */
export function stylesInOrder<Module>(
  modules: Iterable<Module>,
  isStyle: (module: Module) => boolean,
  importsOf: (module: Module) => Iterable<Module>,
): Module[] {
  const styles: Module[] = []
  const seen = new Set<Module>()
  const visit = (module: Module) => {
    if (seen.has(module)) return
    seen.add(module)
    if (isStyle(module)) styles.push(module)
    else for (const next of importsOf(module)) visit(next)
  }
  for (const module of modules) visit(module)
  return styles
}
