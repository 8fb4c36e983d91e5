// Which stylesheets share a file. Every page has the sheets of `_app`, and then its own in the order of their imports:
// a file is a part of that order, whatever chunks the scripts of these modules are in.

export interface StyleLists<Root> {
  /** The start of every page, with the sheets of `_app`: pages have them before their own. */
  start: ReadonlyMap<Root, readonly string[]>
  pages: ReadonlyMap<Root, readonly string[]>
  /** Code that is loaded at first use, with the pages that may load it. */
  late: ReadonlyMap<Root, { sheets: readonly string[]; pages: ReadonlySet<Root> }>
}

export interface Sheet {
  /** Length of the text. */
  size: number
  /** Rules that browsers ignore behind other rules: an `@import` of another origin. */
  isFirst: boolean
}

/** A file has copies of sheets that other pages have in other files up to this length: a request costs more. */
const COPIED_LIMIT = 8000

/** The files of each root, each with its sheets. */
export function planStyleFiles<Root>(
  lists: StyleLists<Root>,
  sheetOf: (sheet: string) => Sheet,
): ReadonlyMap<Root, string[][]> {
  const { start } = lists
  const app = new Set([...start.values()].flat())
  const pages = mapValues(lists.pages, (sheets) => sheets.filter((sheet) => !app.has(sheet)))
  const late = mapValues(lists.late, (code) => {
    const here = [...code.pages].map((page) => new Set(pages.get(page)))
    const isThere = (sheet: string) => here.length > 0 && here.every((sheets) => sheets.has(sheet))
    return code.sheets.filter((sheet) => !app.has(sheet) && !isThere(sheet))
  })
  const runsOf = runsIn([...start.values(), ...pages.values(), ...late.values()], (sheet) => sheetOf(sheet).isFirst)
  // A page may have such a sheet already, or get it later: there is one file of it, never a copy that would come last.
  const fixed = new Set([...late.values()].flat())
  const uses = new Map<string, number>()
  for (const sheet of [...pages.values()].flat()) uses.set(sheet, (uses.get(sheet) ?? 0) + 1)
  const copiedSize = ([first, ...rest]: readonly string[]) =>
    first === undefined || uses.get(first) === 1
      ? 0
      : [first, ...rest].reduce((total, sheet) => total + sheetOf(sheet).size, 0)

  const filesOf = (sheets: readonly string[]) => {
    const files: string[][] = []
    let open: { file: string[]; copied: number } | undefined
    for (const run of runsOf(sheets)) {
      const size = copiedSize(run)
      const isFixed = fixed.has(run[0]!)
      const fits = open && !isFixed && !sheetOf(run[0]!).isFirst && open.copied + size <= COPIED_LIMIT
      if (open && fits) {
        open.file.push(...run)
        open.copied += size
        continue
      }
      const file = [...run]
      files.push(file)
      open = isFixed || size > COPIED_LIMIT ? undefined : { file, copied: size }
    }
    return files
  }
  return new Map([...mapValues(start, runsOf), ...mapValues(pages, filesOf), ...mapValues(late, runsOf)])
}

/** Cuts a list into runs: sheets that follow each other in every list that has one of them. */
function runsIn(
  lists: readonly (readonly string[])[],
  isFirst: (sheet: string) => boolean,
): (sheets: readonly string[]) => string[][] {
  const after = neighbours(lists)
  const before = neighbours(lists.map((list) => list.toReversed()))
  const isJoined = (sheet: string, next: string) =>
    after.get(sheet) === next && before.get(next) === sheet && !isFirst(next)
  return (sheets) => {
    const runs: string[][] = []
    for (const sheet of sheets) {
      const last = runs.at(-1)
      if (last && isJoined(last.at(-1)!, sheet)) last.push(sheet)
      else runs.push([sheet])
    }
    return runs
  }
}

/** The sheet that follows another one in every list; undefined where lists differ. */
function neighbours(lists: readonly (readonly string[])[]): Map<string, string | undefined> {
  const next = new Map<string, string | undefined>()
  for (const list of lists)
    for (const [index, sheet] of list.entries()) {
      const following = list[index + 1]
      next.set(sheet, next.has(sheet) && next.get(sheet) !== following ? undefined : following)
    }
  return next
}

function mapValues<Key, From, To>(map: ReadonlyMap<Key, From>, change: (value: From) => To): Map<Key, To> {
  return new Map([...map].map(([key, value]) => [key, change(value)]))
}
