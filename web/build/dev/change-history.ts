// The files that changed since a version: the actions service, which runs modules itself, discards the modules of these
// files.

/** The oldest changes are removed first. */
const MAX_CHANGES = 2000

export function createChangeHistory(startVersion: number) {
  const changes: { version: number; file: string }[] = []
  let firstVersion = startVersion
  let currentVersion = startVersion
  return {
    /** Adds the changed files of a version. */
    record(version: number, files: Iterable<string>): void {
      currentVersion = version
      for (const file of files) changes.push({ version, file })
      changes.splice(0, changes.length - MAX_CHANGES)
    },
    /** Starts again at a version: everything before it is unknown. */
    restart(version: number): void {
      firstVersion = version
    },
    /** The files that changed after a version; undefined for a version that the history does not reach. */
    since(version: number): string[] | undefined {
      const oldest = changes[0]?.version ?? currentVersion
      if (version + 1 < oldest || version < firstVersion || version > currentVersion) return undefined
      return changes.filter((change) => change.version > version).map(({ file }) => file)
    },
  }
}
